//! The files that fix the versions of what a skill depends on.
//!
//! They are part of the tree like any other file; this says which of them to point at when one has changed.

/// Their names, wherever they lie in a skill or plugin.
pub const LOCKS: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Package.resolved",
    "Pipfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "conda-lock.yml",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pdm.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pylock.toml",
    "requirements.txt",
    "uv.lock",
    "yarn.lock",
];
