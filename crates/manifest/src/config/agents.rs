//! What an agent may see: allowlists, their names, and how one list narrows another.
//!
//! Names are compared as text; which skill a name means is the catalog's to say.

use super::Placed;
use crate::Pos;
use serde::Serialize;
use std::borrow::Cow;

/// One agent as the configuration leaves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Agent {
    /// The skills it sees.
    pub skills: Allowlist,
    /// The tools it has as `provider:tool`; `None` where nobody said.
    pub tools: Option<Vec<String>>,
    /// Where its list of skills is written, if it is; not part of the configuration's identity.
    #[serde(skip)]
    pub written: Option<Written>,
}

/// Where something is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// In which file.
    pub file: String,
    /// Where in that file.
    pub at: Pos,
}

/// Which skills an agent sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Allowlist {
    /// Every eligible one.
    Everything,
    /// These, in this order.
    Only(Vec<String>),
}

impl Allowlist {
    /// The list as written, where `*` stands for every skill.
    pub(super) fn of(names: Vec<String>) -> Self {
        if names.iter().any(|name| name == "*") { Self::Everything } else { Self::Only(names) }
    }

    /// What both lists allow, in this list's order, and the names that were asked for in vain.
    pub(super) fn narrowed(&self, asked: Self) -> (Self, Vec<String>) {
        match (self, asked) {
            (Self::Everything, asked) => (asked, Vec::new()),
            (Self::Only(_), Self::Everything) => (self.clone(), vec!["*".to_owned()]),
            (Self::Only(allowed), Self::Only(asked)) => {
                let (kept, refused) = intersect(allowed, &asked, is_same_skill);
                (Self::Only(kept), refused)
            }
        }
    }
}

/// The entries of `allowed` that are asked for, and the entries of `asked` that are not allowed.
pub(super) fn intersect(
    allowed: &[String],
    asked: &[String],
    is_same: impl Fn(&str, &str) -> bool,
) -> (Vec<String>, Vec<String>) {
    let kept = allowed.iter().filter(|name| asked.iter().any(|other| is_same(name, other)));
    let refused = asked.iter().filter(|name| !allowed.iter().any(|other| is_same(other, name)));
    (kept.cloned().collect(), refused.cloned().collect())
}

/// A skill's name with the plugin's part before a slash: `plugin:skill` is read as `plugin/skill`.
pub(super) fn skill_name(text: &str) -> Cow<'_, str> {
    match text.split_once(':') {
        Some((plugin, skill)) if is_id(plugin) && is_id(skill) => Cow::Owned(format!("{plugin}/{skill}")),
        _ => Cow::Borrowed(text),
    }
}

/// The names of a list, each once.
pub(super) fn skill_names(list: Placed<Vec<String>>) -> Placed<Vec<String>> {
    let mut seen = std::collections::BTreeSet::new();
    let names = list.value.iter().map(|name| skill_name(name).into_owned());
    Placed { value: names.filter(|name| seen.insert(name.clone())).collect(), at: list.at }
}

/// Whether two names may mean one skill: they are equal, or one of them leaves the plugin out.
fn is_same_skill(one: &str, other: &str) -> bool {
    one == other
        || match (one.split_once('/'), other.split_once('/')) {
            (Some((_, skill)), None) => skill == other,
            (None, Some((_, skill))) => skill == one,
            _ => false,
        }
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
