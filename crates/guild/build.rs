//! Links what unwinds the stack for a report of a defect into the program, which is otherwise a library of its own that every start loads.
//!
//! It looks at nothing but the target, and compiles nothing.

#![expect(clippy::disallowed_methods, reason = "cargo tells a build script its target by the environment")]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
