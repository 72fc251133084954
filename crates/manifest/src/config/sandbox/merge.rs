//! Several files to one: owners' files override each other, a project's only narrows.

use super::{Enforcement, Sandbox, SandboxSettings};
use crate::config::Placed;
use crate::config::reader::{shorten, untrusted};
use crate::fold::nearest;
use crate::{Code, Problem};
use std::fmt::Display;

/// Takes what an owner's file sets.
pub fn replace(sandbox: &mut Sandbox, settings: SandboxSettings) {
    set(&mut sandbox.backend, settings.backend);
    set(&mut sandbox.role, bare(settings.role));
    sandbox.roles.extend(settings.roles);
    set(&mut sandbox.limits, bare(settings.limits));
    let usage = &mut sandbox.usage;
    set(&mut usage.cpus, bare(settings.cpus));
    set(&mut usage.memory_mb, bare(settings.memory_mb));
    set(&mut usage.pids, bare(settings.pids));
    set(&mut usage.timeout_seconds, bare(settings.timeout_seconds));
    set(&mut usage.output_bytes, bare(settings.output_bytes));
    set(&mut usage.scratch_mb, bare(settings.scratch_mb));
    set(&mut sandbox.ceilings.containers, settings.ceilings.containers);
    set(&mut sandbox.ceilings.cpus, settings.ceilings.cpus);
    set(&mut sandbox.ceilings.memory_mb, settings.ceilings.memory_mb);
    set(&mut sandbox.images.max_bytes, settings.images.max_bytes);
    set(&mut sandbox.images.max_files, settings.images.max_files);
    set(&mut sandbox.images.insecure_registries, settings.images.insecure_registries);
}

/// Takes what a project's file may set: another known role, strictness, and smaller numbers.
pub fn narrow(sandbox: &mut Sandbox, settings: &SandboxSettings) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(role) = &settings.role {
        problems.extend(choose(sandbox, role));
    }
    match &settings.limits {
        Some(Placed { value: Enforcement::Strict, .. }) => sandbox.limits = Enforcement::Strict,
        Some(Placed { at, .. }) if sandbox.limits == Enforcement::Strict => {
            problems.push(untrusted("sandbox.limits", *at, "cannot be relaxed"));
        }
        _ => {}
    }
    let usage = &mut sandbox.usage;
    problems.extend(lower("cpus", &mut usage.cpus, settings.cpus.as_ref()));
    for (key, held, asked) in [
        ("memory_mb", &mut usage.memory_mb, &settings.memory_mb),
        ("pids", &mut usage.pids, &settings.pids),
        ("timeout_seconds", &mut usage.timeout_seconds, &settings.timeout_seconds),
        ("output_bytes", &mut usage.output_bytes, &settings.output_bytes),
        ("scratch_mb", &mut usage.scratch_mb, &settings.scratch_mb),
    ] {
        problems.extend(lower(key, held, asked.as_ref()));
    }
    problems
}

/// A project chooses among the roles that its reader has declared.
fn choose(sandbox: &mut Sandbox, role: &Placed<String>) -> Option<Problem> {
    if sandbox.roles.contains_key(&role.value) {
        sandbox.role.clone_from(&role.value);
        return None;
    }
    let known = || sandbox.roles.keys().map(String::as_str);
    let hint = match nearest(&role.value, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the roles known here are: {}", known().collect::<Vec<_>>().join(", ")),
    };
    let message = format!(
        "`sandbox.role` names `{}`, which none of your own files declares; it was ignored",
        shorten(&role.value)
    );
    Some(Problem::new(Code::ConfigValueInvalid, role.at, message, hint))
}

fn lower<T: Copy + PartialOrd + Display>(
    key: &str,
    held: &mut T,
    asked: Option<&Placed<T>>,
) -> Option<Problem> {
    let asked = asked?;
    if asked.value > *held {
        let what = format!("cannot be raised from {held} to {}", asked.value);
        return Some(untrusted(&format!("sandbox.{key}"), asked.at, &what));
    }
    *held = asked.value;
    None
}

fn bare<T>(placed: Option<Placed<T>>) -> Option<T> {
    placed.map(|placed| placed.value)
}

fn set<T>(held: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *held = value;
    }
}
