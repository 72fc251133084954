//! The part of `bench/sandbox` that has to be measured in process: told line by line what to launch, it answers with what that took.
//!
//! One process launches everything, so that all are measured by the same clock from the same place. What is measured, how often and in
//! which order is decided by the caller. `bench/README.md` says how to read the figures.
#![expect(clippy::print_stdout, reason = "whoever runs the benchmark reads the answers there")]
#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "the floor makes the system calls of a container, and nothing else")
)]

#[cfg(target_os = "linux")]
mod contained;
#[cfg(target_os = "linux")]
mod floor;
#[cfg(target_os = "linux")]
mod residue;
#[cfg(target_os = "linux")]
mod serve;

use std::error::Error;

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve"] => serve::answer_all(),
        ["once"] => contained::Contained::new()?.launch(),
        ["residue", launches] => {
            println!("{}", residue::after(launches.parse()?)?);
            Ok(())
        }
        _ => Err("usage: launch serve | once | residue LAUNCHES".into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> Result<(), Box<dyn Error>> {
    Err("the embedded runtime is for Linux".into())
}
