//! A change set: what one command made of one source, kept until somebody has decided.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::change::{Change, Refused};
use super::layer::{Layer, LayerError, real};
use super::listing::Listing;
use super::path_text;

/// The newest version of a set's record.
pub(super) const SET_VERSION: u32 = 1;

/// What one command made of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeSet {
    version: u32,
    /// What it is called.
    pub id: ChangeSetId,
    /// The source, without links on the way to it.
    #[serde(with = "path_text")]
    pub source: PathBuf,
    /// The layer that has the new content, without links on the way to it.
    #[serde(with = "path_text")]
    pub layer: PathBuf,
    /// Whether somebody has decided.
    pub status: Status,
    /// What differs, sorted by path.
    pub changes: Vec<Change>,
    /// What is never applied, nor is anything beside it; sorted by path.
    pub refused: Vec<Refused>,
}

/// The name of a change set: `chg_` and letters and digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChangeSetId(String);

/// A text that names no change set.
#[derive(Debug, thiserror::Error)]
#[error("{text:?} is no change set: they are called `chg_` and up to 64 letters and digits")]
pub struct ChangeSetIdError {
    text: String,
}

/// What has become of a change set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has decided.
    Pending,
    /// It was applied; its layer is gone.
    Applied,
}

impl ChangeSet {
    /// A set that waits for a decision.
    pub fn new(
        id: ChangeSetId,
        source: &Path,
        layer: &Layer,
        listing: Listing,
    ) -> Result<ChangeSet, LayerError> {
        Ok(ChangeSet {
            version: SET_VERSION,
            id,
            source: real(source)?,
            layer: layer.directory().to_owned(),
            status: Status::Pending,
            changes: listing.changes,
            refused: listing.refused,
        })
    }

    /// Whether every path stays below the source, as every path that was listed does.
    pub(super) fn is_sound(&self) -> bool {
        let is_below = |path: &Path| {
            let mut names = path.components().peekable();
            names.peek().is_some() && names.all(|name| matches!(name, Component::Normal(_)))
        };
        let absolute = self.source.is_absolute() && self.layer.is_absolute();
        absolute && self.changes.iter().all(|change| is_below(&change.path))
    }
}

impl ChangeSetId {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ChangeSetId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<ChangeSetId> for String {
    fn from(id: ChangeSetId) -> String {
        id.0
    }
}

impl TryFrom<String> for ChangeSetId {
    type Error = ChangeSetIdError;

    fn try_from(text: String) -> Result<ChangeSetId, ChangeSetIdError> {
        let rest = text.strip_prefix("chg_").unwrap_or_default();
        if (1..=64).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            Ok(ChangeSetId(text))
        } else {
            Err(ChangeSetIdError { text })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leads_anywhere() {
        for text in [
            "",
            "chg_",
            "chg_/",
            "chg_..",
            "chg_a/b",
            "chg_ä",
            "run_1",
            "chg_a_b",
            &format!("chg_{}", "x".repeat(65)),
        ] {
            assert!(ChangeSetId::try_from(text.to_owned()).is_err(), "{text}");
        }
        assert_eq!(ChangeSetId::try_from("chg_01J9".to_owned()).unwrap().as_str(), "chg_01J9");
    }
}
