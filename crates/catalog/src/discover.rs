//! One discovery: every root searched, every skill and plugin read, one snapshot made of it.
//!
//! Discovery never fails as a whole. What cannot be read is a problem in the snapshot, and the rest goes on.

mod builtins;
mod content;
pub(crate) mod parallel;
pub(crate) mod plugins;
mod scan;
pub(crate) mod skill_files;
pub(crate) mod skill_reader;

use crate::conventions::Holds;
use crate::root::{self, Root, Status};
use crate::snapshot::Snapshot;
use crate::{Machine, Scope, allowlist, bounds, eligibility, precedence, switched_off};
use guild_manifest::config::Config;
use guild_manifest::{Code, Pos, Problem};
use scan::{Ground, Scanner};
use std::path::Path;

pub(crate) use builtins::text as builtin_text;
pub use content::{bodies, bytes, files, same_content};
pub use plugins::{agent_files, read_again as read_plugin};
pub(crate) use skill_reader::SKILL_FILE;

/// Whether an index may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Files that have not changed since the index was written are not read again.
    Indexed,
    /// Every file is read, and the index is written anew.
    Reread,
}

/// Searches every root and makes a snapshot.
pub fn discover(machine: &Machine, config: &Config, freshness: Freshness) -> Snapshot {
    let mut problems = config.problems.clone();
    let roots = root::roots(machine, config, &mut problems);
    let searched: Vec<&Root> = roots.iter().filter(|root| is_searched(root, &mut problems)).collect();
    let (skills, plugins): (Vec<&Root>, Vec<&Root>) =
        searched.iter().partition(|root| root.holds == Holds::Skills);
    let scanner = Scanner { machine, config, freshness };
    let mut candidates = Vec::new();
    for root in skills {
        scanner.skills(&ground(&scanner, root), &mut candidates, &mut problems);
    }
    let plugins = plugins::find(&scanner, &plugins, &mut problems);
    candidates.extend(plugins.skills);
    if config.builtins {
        candidates.extend(builtins::candidates());
    }
    let mut resolved = precedence::resolve(candidates);
    resolved.collisions.extend(plugins.collisions);
    let mut snapshot = Snapshot::new(roots, resolved, plugins.entries, problems);
    snapshot.lacking = plugins.lacking;
    snapshot.broken_plugins = plugins.broken;
    eligibility::judge(&mut snapshot, machine, config);
    let unknown = [allowlist::check(&snapshot, config), switched_off::check(&snapshot, config)].concat();
    snapshot.problems.extend(unknown);
    snapshot.seal();
    snapshot
}

fn ground(scanner: &Scanner<'_>, root: &Root) -> Ground {
    // A person may name one skill's directory. In an agent's directory of skills, a stray `SKILL.md` must not hide them.
    let itself = matches!(root.scope, Scope::Custom | Scope::Extra);
    Ground { path: root.path.clone(), scope: root.scope, plugin: None, itself, depth: scanner.depth() }
}

fn is_searched(root: &Root, problems: &mut Vec<Problem>) -> bool {
    let problem = match root.status {
        Status::Missing => return false,
        // A project could make a whole machine its own by a link to `/`.
        Status::Ok => match root.path.is_symlink().then(|| bounds::follow(&root.path)) {
            Some(Err(problem)) => problem,
            _ => return true,
        },
        Status::Unreadable => unreadable(&root.path),
        Status::NotDirectory => {
            let message = "a directory of skills is expected here, but this is none";
            Problem::new(Code::RootUnreadable, Pos::START, message, "check what it is and who may read it")
        }
    };
    problems.push(problem.in_file(root.path.to_string_lossy()));
    false
}

/// That a directory which may hold skills is there, and that nobody knows what is in it.
pub(crate) fn unreadable(directory: &Path) -> Problem {
    let hint = "check what it is and who may read it";
    Problem::new(Code::RootUnreadable, Pos::START, "this directory cannot be read", hint)
        .in_file(directory.to_string_lossy())
}
