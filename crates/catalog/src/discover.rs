//! One discovery: every root searched, every skill and plugin read, one snapshot made of it.
//!
//! Discovery never fails as a whole. What cannot be read is a problem in the snapshot, and the rest goes on.

mod builtins;
mod content;
pub(crate) mod parallel;
mod plugins;
mod scan;
pub(crate) mod skill_files;
pub(crate) mod skill_reader;

use crate::conventions::Holds;
use crate::precedence::{self, Candidate};
use crate::root::{self, Root, Status};
use crate::snapshot::{Collision, PluginEntry, Snapshot};
use crate::{Machine, eligibility};
use guild_manifest::config::Config;
use guild_manifest::{Code, Pos, Problem};
use scan::{Ground, Scanner};

pub use content::{bytes, files, same_content};
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
    let mut found = Found::default();
    let scanner = Scanner { machine, config, freshness };
    for root in &roots {
        if !is_searched(root, &mut problems) {
            continue;
        }
        match root.holds {
            Holds::Skills => {
                let ground = Ground {
                    path: root.path.clone(),
                    scope: root.scope,
                    plugin: None,
                    itself: true,
                    depth: scanner.depth(),
                };
                found.candidates.extend(scanner.skills(&ground, &mut problems));
            }
            Holds::Plugins => plugins::scan(&scanner, root, &mut found, &mut problems),
        }
    }
    plugins::configured(&scanner, &mut found, &mut problems);
    if config.builtins {
        found.candidates.extend(builtins::candidates());
    }
    let mut resolved = precedence::resolve(found.candidates);
    resolved.collisions.extend(found.collisions);
    let mut snapshot = Snapshot::new(roots, resolved, found.plugins, problems);
    eligibility::judge(&mut snapshot, machine, config);
    snapshot.seal();
    snapshot
}

/// What the roots held, in order of precedence.
#[derive(Default)]
struct Found {
    candidates: Vec<Candidate>,
    plugins: Vec<PluginEntry>,
    collisions: Vec<Collision>,
}

fn is_searched(root: &Root, problems: &mut Vec<Problem>) -> bool {
    if matches!(root.status, Status::Unreadable | Status::NotDirectory) {
        let message = match root.status {
            Status::NotDirectory => "a directory of skills is expected here, but this is none",
            _ => "this directory cannot be read",
        };
        let problem =
            Problem::new(Code::RootUnreadable, Pos::START, message, "check what it is and who may read it");
        problems.push(problem.in_file(root.path.to_string_lossy()));
    }
    root.status == Status::Ok
}
