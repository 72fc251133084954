//! The replies about changes that wait for a decision.

use guild_ledger::receipt;
use guild_manifest::Digest;
use guild_sandbox::changes::{Change, ChangeKind, ChangeSet, Node};
use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::Difference;

/// A change set in short.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChangeSummary {
    /// Its name, for `changes show`, `apply` and `drop`.
    pub id: String,
    /// The directory that it would change.
    pub directory: String,
    /// Paths that would be added.
    pub added: usize,
    /// Paths that would be changed.
    pub changed: usize,
    /// Paths that would be deleted.
    pub deleted: usize,
    /// How many of them decide what agents and machines do.
    pub sensitive: usize,
    /// What the container left that is never applied, which keeps the whole set from being applied.
    pub refused: Vec<RefusedChange>,
    /// The digest of the list of paths with what each was and would be, as receipts name it.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// Something that is never applied.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RefusedChange {
    /// Where, relative to the directory.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// `changes list`: what waits for a decision.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ChangesList {
    /// The change sets, the oldest first.
    pub changes: Vec<ChangeSummary>,
    /// How many there are.
    pub count: usize,
    /// Why others cannot be read.
    pub unusable: Vec<String>,
}

/// `changes show`: one change set in full.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ChangesShow {
    /// The set in short; null where there is none.
    pub summary: Option<ChangeSummary>,
    /// Each path, sorted.
    pub changes: Vec<ChangeDetail>,
}

/// One path that would change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChangeDetail {
    /// Where, relative to the directory.
    pub path: String,
    /// `added`, `changed` or `deleted`.
    pub change: &'static str,
    /// `file`, `directory` or `link`: what there would be, or what would be deleted.
    pub node: &'static str,
    /// Permissions before, in octal digits.
    pub old_mode: Option<String>,
    /// Permissions afterwards, in octal digits.
    pub new_mode: Option<String>,
    /// Where a link leads, as it says.
    pub target: Option<String>,
    /// Whether it decides what agents and machines do.
    pub sensitive: bool,
    /// What changes in it.
    pub difference: Difference,
}

/// `changes apply` and `changes drop`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ChangesDecided {
    /// The set.
    pub id: String,
    /// Whether it was done.
    pub done: bool,
    /// What the set held.
    pub changes: Option<ChangeSummary>,
    /// The receipt of the decision.
    pub receipt: Option<String>,
}

impl ChangeSummary {
    pub(crate) fn of(set: &ChangeSet) -> ChangeSummary {
        let count = |kind| set.changes.iter().filter(|change| change.kind() == kind).count();
        let refused = set.refused.iter().map(|refused| RefusedChange {
            path: refused.path.to_string_lossy().into_owned(),
            reason: refused.reason.to_string(),
        });
        ChangeSummary {
            id: set.id.as_str().to_owned(),
            directory: set.source.to_string_lossy().into_owned(),
            added: count(ChangeKind::Added),
            changed: count(ChangeKind::Changed),
            deleted: count(ChangeKind::Deleted),
            sensitive: set.changes.iter().filter(|change| change.sensitive).count(),
            refused: refused.collect(),
            digest: Digest::of(serde_json::to_string(&set.changes).unwrap_or_default().as_bytes()),
        }
    }

    /// What a receipt keeps of it.
    pub(crate) fn kept(&self) -> receipt::Changes {
        let files = (self.added + self.changed + self.deleted) as u64;
        receipt::Changes { id: self.id.clone(), files, digest: self.digest }
    }
}

impl ChangesShow {
    pub(crate) fn of(set: &ChangeSet, changes: Vec<ChangeDetail>) -> ChangesShow {
        ChangesShow { summary: Some(ChangeSummary::of(set)), changes }
    }
}

impl ChangeDetail {
    pub(crate) fn of(change: &Change, difference: Difference) -> ChangeDetail {
        let mode = |node: &Option<Node>| node.as_ref().and_then(Node::mode).map(|mode| format!("{mode:04o}"));
        let shown = change.new.as_ref().or(change.base.as_ref());
        ChangeDetail {
            path: change.path.to_string_lossy().into_owned(),
            change: match change.kind() {
                ChangeKind::Added => "added",
                ChangeKind::Changed => "changed",
                ChangeKind::Deleted => "deleted",
            },
            node: match shown {
                Some(Node::Directory { .. }) => "directory",
                Some(Node::Link { .. }) => "link",
                _ => "file",
            },
            old_mode: mode(&change.base),
            new_mode: mode(&change.new),
            target: match shown {
                Some(Node::Link { target }) => Some(target.to_string_lossy().into_owned()),
                _ => None,
            },
            sensitive: change.sensitive,
            difference,
        }
    }
}
