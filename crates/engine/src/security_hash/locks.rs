//! The files that fix the versions of what a skill depends on.
//!
//! They are part of the tree like any other file; this says which of them to point at when one has changed.

/// Whether a path is that of one, wherever it lies in a skill or plugin.
pub fn is_lock(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    LOCKS.contains(&name)
}

const LOCKS: &[&str] = &[
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
