//! What the machine is told to run: test binaries, and the surroundings to run them in.
//!
//! A plan is written here and read inside, as JSON. Which test runs in which surroundings is decided by its name alone.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A test with this word in its target or name wants a cgroup that is not its own.
const UNDELEGATED: &str = "undelegated";
/// A test with this word in its target or name wants a systemd that gives scopes to users.
const USER_SCOPE: &str = "user_scope";
/// A test with this word in its target or name is run by root, for whom only systemd makes surroundings.
const AS_ROOT: &str = "as_root";

/// Everything that is run in one machine.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    pub passes: Vec<Pass>,
    pub binaries: Vec<Binary>,
    /// A test runs if its name contains one of these, or if there is none.
    pub filters: Vec<String>,
    /// A test does not run if its name contains one of these.
    pub skipped: Vec<String>,
    /// Whether nobody has narrowed it, so that an empty pass can only be a mistake.
    pub is_whole: bool,
}

/// A test binary of libtest.
#[derive(Debug, Serialize, Deserialize)]
pub struct Binary {
    /// The name of its target: tests are called `target::name`.
    pub target: String,
    pub path: PathBuf,
    /// The directory of its package, where its tests start.
    pub directory: PathBuf,
}

/// The surroundings of one run over the binaries.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// Each test in a cgroup that belongs to its user.
    Delegated,
    /// Each test in a cgroup that belongs to root.
    Undelegated,
    /// All tests in one login session, with the user's own systemd at hand.
    Session,
    /// All tests in one service of the machine's systemd, by root.
    Root,
}

impl Plan {
    /// Whether the test called `target::name` runs in `pass`.
    pub fn includes(&self, pass: Pass, name: &str) -> bool {
        let has_any = |words: &[String]| words.iter().any(|word| name.contains(word.as_str()));
        pass.includes(name) && (self.filters.is_empty() || has_any(&self.filters)) && !has_any(&self.skipped)
    }

    /// The plan as the machine reads it.
    pub fn to_json(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| format!("cannot write the plan: {error}"))
    }
}

impl Pass {
    /// The word for it on the console, and in `GUILD_VM` for the tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delegated => "delegated",
            Self::Undelegated => "undelegated",
            Self::Session => "session",
            Self::Root => "root",
        }
    }

    /// Whether root makes its surroundings, and not the test user's login.
    pub fn is_roots(self) -> bool {
        !matches!(self, Self::Session)
    }

    fn includes(self, name: &str) -> bool {
        match self {
            Self::Root => name.contains(AS_ROOT),
            _ if name.contains(AS_ROOT) => false,
            Self::Delegated => !name.contains(UNDELEGATED) && !name.contains(USER_SCOPE),
            Self::Undelegated => name.contains(UNDELEGATED),
            Self::Session => !name.contains(UNDELEGATED),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(filters: &[&str], skipped: &[&str], expect: &Expect) {
        let [filters, skipped] =
            [filters, skipped].map(|words| words.iter().copied().map(str::to_owned).collect());
        let plan = Plan { passes: Vec::new(), binaries: Vec::new(), filters, skipped, is_whole: false };
        let names = [
            "attacks::as_root::fork_bomb_stops",
            "attacks::as_user::fork_bomb_stops",
            "limits::undelegated::are_refused",
            "user_scope::memory_is_limited",
        ];
        let mut shown = String::new();
        for pass in [Pass::Delegated, Pass::Undelegated, Pass::Session, Pass::Root] {
            let included: Vec<&str> = names.into_iter().filter(|name| plan.includes(pass, name)).collect();
            shown.push_str(&format!("{}: {included:?}\n", pass.name()));
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn names_decide_the_surroundings() {
        check(
            &[],
            &[],
            &expect![[r#"
                delegated: ["attacks::as_user::fork_bomb_stops"]
                undelegated: ["limits::undelegated::are_refused"]
                session: ["attacks::as_user::fork_bomb_stops", "user_scope::memory_is_limited"]
                root: ["attacks::as_root::fork_bomb_stops"]
            "#]],
        );
    }

    #[test]
    fn one_of_the_filters_is_enough_and_one_skipped_word_is_too_much() {
        check(
            &["memory", "refused", "fork"],
            &["bomb"],
            &expect![[r#"
                delegated: []
                undelegated: ["limits::undelegated::are_refused"]
                session: ["user_scope::memory_is_limited"]
                root: []
            "#]],
        );
    }
}
