//! The known keys as data: one row a key, with who may set it.
//!
//! What a key's value means is not here; `sections` reads it.

use crate::fold::{fold, nearest};

/// Who may set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    /// Every file; in a project's the value is still checked to narrow.
    Anyone,
    /// The person's and the machine's files only.
    Owner,
    /// No file: other agents keep secrets there, and this configuration does not.
    Nobody,
}

/// One key of a table.
#[derive(Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub right: Right,
}

/// The keys of one table.
pub(super) type Table = &'static [Key];

pub(super) const TOP: Table = &[
    anyone("skills"),
    anyone("plugins"),
    anyone("agents"),
    anyone("builtins"),
    anyone("limits"),
    anyone("prompt"),
    owner("config"),
    owner("approvals"),
    owner("ledger"),
    owner("mcp"),
    owner("roles"),
    owner("runners"),
    anyone("sandbox"),
    owner("secrets"),
    owner("serve"),
    owner("sources"),
    owner("subagents"),
    owner("trust"),
    owner("vet"),
];
pub(super) const SKILLS: Table =
    &[anyone("paths"), anyone("extra_paths"), anyone("disabled"), anyone("entries")];
pub(super) const SKILL: Table =
    &[anyone("enabled"), owner("inject"), owner("config"), nobody("env"), nobody("api_key")];
pub(super) const PLUGINS: Table =
    &[anyone("load"), anyone("paths"), anyone("extra_paths"), anyone("disabled")];
pub(super) const PLUGIN: Table = &[anyone("path"), anyone("enabled"), owner("settings"), owner("hooks")];
pub(super) const HOOK: Table = &[owner("enabled"), owner("priority"), owner("timeout_ms")];
pub(super) const AGENT: Table = &[anyone("skills"), anyone("tools")];
pub(super) const LIMITS: Table = &[anyone("max_file_bytes"), anyone("max_depth"), anyone("max_entries")];
pub(super) const PROMPT: Table = &[anyone("budget"), owner("format")];
pub(super) const SANDBOX: Table = &[
    owner("backend"),
    anyone("role"),
    owner("roles"),
    anyone("limits"),
    anyone("cpus"),
    anyone("memory_mb"),
    anyone("pids"),
    anyone("timeout_seconds"),
    anyone("output_bytes"),
    anyone("scratch_mb"),
    owner("ceilings"),
    owner("images"),
];
pub(super) const ROLE: Table = &[owner("root"), owner("directory"), owner("image"), owner("description")];
pub(super) const CEILINGS: Table = &[owner("containers"), owner("cpus"), owner("memory_mb")];
pub(super) const IMAGES: Table = &[owner("max_bytes"), owner("max_files"), owner("insecure_registries")];

/// The tables that stand at a fixed place, for keys that were written in the wrong one.
const PLACES: &[(&str, Table)] = &[
    ("", TOP),
    ("skills.", SKILLS),
    ("plugins.", PLUGINS),
    ("limits.", LIMITS),
    ("prompt.", PROMPT),
    ("sandbox.", SANDBOX),
    ("sandbox.images.", IMAGES),
];

/// Words for other keys: in a table that has the second one, the first stands for the third, however near another one is spelt.
const WORDS: &[(&str, &str, &str)] = &[("roots", "skills", "skills.paths")];

/// A key longer than this is no slip of the pen.
const LONGEST: usize = 64;

/// The row of `key` in `table`, by folded spelling.
pub(super) fn find(table: Table, key: &str) -> Option<&'static Key> {
    let folded = fold(key);
    table.iter().find(|known| fold(known.name) == folded)
}

/// What to do about a key that `table` does not have.
pub(super) fn advice(table: Table, key: &str) -> String {
    if key.len() <= LONGEST {
        let is_word =
            |(word, beside, _): &&(&str, &str, &str)| fold(key) == *word && find(table, beside).is_some();
        if let Some((_, _, meant)) = WORDS.iter().find(is_word) {
            return format!("did you mean `{meant}`?");
        }
        if let Some(near) = nearest(key, names(table)) {
            return format!("did you mean `{near}`?");
        }
        if let Some((place, known)) =
            PLACES.iter().find_map(|(place, table)| Some((place, find(table, key)?)))
        {
            return format!("did you mean `{place}{}`?", known.name);
        }
    }
    format!("the keys known here are: {}", names(table).collect::<Vec<_>>().join(", "))
}

/// The keys that some file may set.
fn names(table: Table) -> impl Iterator<Item = &'static str> {
    table.iter().filter(|key| key.right != Right::Nobody).map(|key| key.name)
}

const fn anyone(name: &'static str) -> Key {
    Key { name, right: Right::Anyone }
}

const fn owner(name: &'static str) -> Key {
    Key { name, right: Right::Owner }
}

const fn nobody(name: &'static str) -> Key {
    Key { name, right: Right::Nobody }
}
