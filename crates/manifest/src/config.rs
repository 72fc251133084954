//! The configuration: `guild.toml` and its kin, read from bytes, layered, and asked what is in effect.
//!
//! It opens no file, knows no home directory and expands no path on its own: the caller hands in bytes and the
//! words of the environment. Sections of parts that are not read here are kept whole for those parts.
//!
//! The files, from weak to strong: `/etc/guild/config.toml` ([`Layer::System`]), `~/.config/guild/config.toml`
//! ([`Layer::User`]), `guild.toml` and `.guild/config.toml` ([`Layer::Project`]). A name that ends in `.yaml` or
//! `.yml` is YAML with the same keys. Keys are read in kebab, snake and camel case.
//!
//! A user's file overrides the system's. A project's file is a stranger's: it only narrows, and what it may not
//! set is ignored with `config_key_untrusted`.
//!
//! A file that cannot be parsed sets nothing (`config_invalid`). What agents may still see then is not decided here.
//!
//! An agent that is configured without `skills` sees none. One that nobody configured is `agents.default`, which
//! sees every skill unless a file gives it a list.
//!
//! | key | value | in a project's file |
//! | --- | --- | --- |
//! | `skills.paths` | directories of skills, scope `custom` | inside the project |
//! | `skills.extra_paths` | directories of skills, scope `extra` | inside the project |
//! | `skills.disabled` | names of skills that are off | yes |
//! | `skills.entries.<name>.enabled` | whether one skill is on | `false` |
//! | `skills.entries.<name>.inject` | whether its body goes whole into the prompt | no |
//! | `skills.entries.<name>.config` | a free table for that skill | no |
//! | `plugins` | a list: short for `plugins.load` | as `plugins.load` |
//! | `plugins.load` | plugins, each a path or `{path, enabled, settings, hooks}` | `path` inside the project, `enabled` |
//! | `plugins.paths` | directories of plugins, scope `custom` | inside the project |
//! | `plugins.extra_paths` | directories of plugins, scope `extra` | inside the project |
//! | `plugins.disabled` | names of plugins that are off | yes |
//! | `agents.<id>.skills` | the skills that an agent sees, in order; `"*"` is every one | a smaller list |
//! | `agents.<id>.tools` | the tools that an agent has, as `provider:tool` | a smaller list |
//! | `builtins` | whether the built-in skills are there | `false` |
//! | `limits.max_file_bytes` | the largest file that is read | a smaller number |
//! | `limits.max_depth` | how deep a root is searched | a smaller number |
//! | `limits.max_entries` | how many directory entries of a root are looked at | a smaller number |
//! | `prompt.budget` | characters of a prompt catalog | a smaller number |
//! | `prompt.format` | `xml`, `index`, `bullets`, `json` or `sections` | no |
//! | `config` | a free table that skills ask with `requires.config` | no |
//! | `sandbox.backend` | `auto`, `embedded`, `docker` or `podman` | no |
//! | `sandbox.role` | the role that a run has where it names none | a known role |
//! | `sandbox.roles.<name>` | a root file system: `root = "host"`, `directory` or `image`; `description` | no |
//! | `sandbox.limits` | `strict` or `best-effort` | `strict` |
//! | `sandbox.{cpus,memory_mb,pids,timeout_seconds,output_bytes,scratch_mb}` | what one container may use | a smaller number |
//! | `sandbox.ceilings.{containers,cpus,memory_mb}` | what the containers of one owner may use together | no |
//! | `sandbox.images.{max_bytes,max_files,insecure_registries}` | what images may be, and from where | no |
//! | `approvals ledger mcp roles runners secrets serve sources trust vet` | kept for the parts that read them | no |

mod agents;
mod document;
mod effective;
mod keys;
mod merge;
mod path;
mod reader;
mod sandbox;
mod sections;
mod settings;
#[cfg(test)]
mod tests;

use crate::Problem;
use serde::Serialize;

pub use agents::{Agent, Allowlist, Written};
pub use document::{MAX_BYTES, Syntax};
pub use effective::{Config, Limits, Off, Prompt, SkillEntry};
pub use merge::merge;
pub use path::{ExpandError, expand};
pub use sandbox::{
    Backend, CeilingSettings, Ceilings, DEFAULT_ROLE, Enforcement, ImageRules, ImageSettings, MEMORY_MB,
    Role, RoleRoot, Sandbox, SandboxSettings, Usage,
};
pub use settings::{
    AgentSettings, Hook, LimitSettings, Place, Placed, PluginEntry, PromptFormat, PromptSettings, Section,
    Settings, SkillSettings,
};

/// Whose file it is; a later one is stronger, except that a project's only narrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The machine's.
    System,
    /// The person's own.
    User,
    /// The project's, which may come from anywhere.
    Project,
}

/// One file, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What it sets; empty when it could not be read.
    pub settings: Settings,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// Reads one file; whatever cannot be used is left out and told.
pub fn read(file: &str, bytes: &[u8], layer: Layer) -> Reading {
    let mut reader = reader::Reader::new(file, layer);
    let settings = match document::parse(Syntax::of(file), bytes, &mut reader.problems) {
        Ok(Some(root)) => sections::read(&mut reader, &root),
        Ok(None) => Settings::empty(file),
        Err(problem) => {
            reader.problems = vec![problem];
            Settings::empty(file)
        }
    };
    let mut problems: Vec<Problem> =
        reader.problems.into_iter().map(|problem| problem.in_file(file)).collect();
    problems.sort_by_key(|problem| problem.at);
    Reading { settings, problems }
}
