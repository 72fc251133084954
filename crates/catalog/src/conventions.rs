//! Where each agent keeps its skills and plugins: the table of conventions, and the places it amounts to.
//!
//! This is data and nothing else. It touches no disk and knows neither the home directory nor the
//! environment. So it ignores variables that move one agent's home, such as `CODEX_HOME`: those, like the
//! ancestors of a project and the paths of a configuration, are the resolver's.

mod agents;

use std::collections::HashMap;

pub use agents::CONVENTIONS;

/// One agent's habit: the directories it reads, each list beginning with the one its own installer writes to.
///
/// How a directory is written says what it is relative to:
///
/// | field | form | relative to |
/// | --- | --- | --- |
/// | `project` | `.codex/skills` | the project, or an ancestor of it |
/// | `user` | `~/.codex/skills` | the home directory |
/// | `user` | `$CONFIG/goose/skills` | `$XDG_CONFIG_HOME`, which is `~/.config` unless set |
/// | `system` | `/etc/codex/skills` | nothing |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convention {
    /// The agent's stable id, in kebab case.
    pub agent: &'static str,
    /// The agent's name as its makers write it.
    pub title: &'static str,
    /// Directories in a project.
    pub project: &'static [&'static str],
    /// Directories of one person.
    pub user: &'static [&'static str],
    /// Directories of the whole machine.
    pub system: &'static [&'static str],
}

impl Convention {
    /// This agent's directories of one kind.
    pub const fn directories(&self, kind: PlaceKind) -> &'static [&'static str] {
        match kind {
            PlaceKind::Project => self.project,
            PlaceKind::User => self.user,
            PlaceKind::System => self.system,
        }
    }
}

/// The scopes in which agents have habits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceKind {
    /// In the project.
    Project,
    /// In the home directory, or the configuration directory beside it.
    User,
    /// On the machine, for everybody.
    System,
}

/// What the children of a place are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holds {
    /// Skills: directories with a `SKILL.md`, or flat `<name>.md` files.
    Skills,
    /// Plugins: directories with a manifest.
    Plugins,
}

/// A directory that at least one agent reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The directory, in the form that [`Convention`] documents for its scope.
    pub directory: &'static str,
    /// The short label of the place: the id of the first agent in the table that reads it.
    pub convention: &'static str,
    /// Every agent that reads it, in table order.
    pub agents: Vec<&'static str>,
    /// What is to be found there.
    pub holds: Holds,
    /// The scope it belongs to.
    pub scope: PlaceKind,
}

/// The distinct directories of one scope, highest precedence first.
///
/// Precedence is the order of [`CONVENTIONS`]: `.guild`, `.agents`, `.claude`, then the rest in table order.
/// A directory that several agents share stands where the first of them has it.
pub fn places(kind: PlaceKind) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for row in CONVENTIONS {
        for &directory in row.directories(kind) {
            let ordinal = *known.entry(directory).or_insert(places.len());
            match places.get_mut(ordinal) {
                Some(shared) => shared.agents.push(row.agent),
                None => places.push(Place::first_read_by(row.agent, directory, kind)),
            }
        }
    }
    places
}

impl Place {
    fn first_read_by(agent: &'static str, directory: &'static str, scope: PlaceKind) -> Self {
        let holds = if directory.ends_with("/plugins") { Holds::Plugins } else { Holds::Skills };
        Self { directory, convention: agent, agents: vec![agent], holds, scope }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use expect_test::{Expect, expect};

    use super::*;

    const KINDS: [PlaceKind; 3] = [PlaceKind::Project, PlaceKind::User, PlaceKind::System];

    #[track_caller]
    fn check<'a>(places: impl IntoIterator<Item = &'a Place>, expect: &Expect) {
        let line = |place: &Place| {
            let Place { directory, convention, agents, holds, .. } = place;
            format!("{directory:<32} {convention:<12} {holds:?}, read by {}\n", agents.len())
        };
        let lines = places.into_iter().map(line);
        expect.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn the_table_has_every_agent_once() {
        let ids: BTreeSet<_> = CONVENTIONS.iter().map(|row| row.agent).collect();
        let titles: BTreeSet<_> = CONVENTIONS.iter().map(|row| row.title).collect();
        assert_eq!(ids.len(), CONVENTIONS.len(), "an id occurs twice");
        assert_eq!(titles.len(), CONVENTIONS.len(), "a title occurs twice");
        assert!(CONVENTIONS.len() >= 79, "only {} agents", CONVENTIONS.len());
    }

    #[test]
    fn every_row_is_well_formed() {
        for row in CONVENTIONS {
            assert!(is_kebab(row.agent), "id: {row:?}");
            assert_eq!(row.title, row.title.trim(), "title: {row:?}");
            assert!(!row.title.is_empty(), "title: {row:?}");
            assert!(!row.project.is_empty(), "an agent reads something in a project: {row:?}");
            for kind in KINDS {
                let directories = row.directories(kind);
                let distinct: BTreeSet<_> = directories.iter().collect();
                assert_eq!(distinct.len(), directories.len(), "a directory occurs twice: {row:?}");
                for directory in directories {
                    assert!(is_well_formed(directory, kind), "{kind:?} `{directory}`: {row:?}");
                }
            }
        }
    }

    #[test]
    fn a_malformed_directory_would_be_noticed() {
        let malformed = [
            (PlaceKind::Project, "/skills"),
            (PlaceKind::Project, "~/.x/skills"),
            (PlaceKind::Project, "../skills"),
            (PlaceKind::Project, ".x/skills/"),
            (PlaceKind::Project, ".x"),
            (PlaceKind::User, ".x/skills"),
            (PlaceKind::User, "~/.config/x/skills"),
            (PlaceKind::User, "~/../skills"),
            (PlaceKind::System, "etc/x/skills"),
        ];
        for (kind, directory) in malformed {
            assert!(!is_well_formed(directory, kind), "{kind:?} `{directory}`");
        }
    }

    #[test]
    fn a_shared_directory_is_one_place_with_all_its_agents() {
        let places = places(PlaceKind::Project);
        let shared: Vec<_> = places.iter().filter(|place| place.directory == ".agents/skills").collect();
        assert_eq!(shared.len(), 1);
        assert_eq!(shared[0].convention, "agents");
        for agent in ["agents", "amp", "codex", "gemini-cli", "openclaw", "zed"] {
            assert!(shared[0].agents.contains(&agent), "{agent} reads .agents/skills");
        }
    }

    #[test]
    fn no_place_is_named_twice_nor_lacks_its_first_agent() {
        for kind in KINDS {
            let places = places(kind);
            let distinct: BTreeSet<_> = places.iter().map(|place| place.directory).collect();
            assert_eq!(distinct.len(), places.len());
            for place in &places {
                assert_eq!(place.agents.first(), Some(&place.convention));
                assert_eq!(place.scope, kind);
            }
        }
    }

    #[test]
    fn project_places_begin_with_guild_agents_claude() {
        check(
            places(PlaceKind::Project).iter().take(10),
            &expect![[r#"
                .guild/skills                    guild        Skills, read by 1
                .guild/plugins                   guild        Plugins, read by 1
                .agents/skills                   agents       Skills, read by 30
                .agents/plugins                  agents       Plugins, read by 1
                .claude/skills                   claude-code  Skills, read by 9
                .claude/plugins                  claude-code  Plugins, read by 1
                .agent/skills                    agent        Skills, read by 3
                .agent/plugins                   agent        Plugins, read by 1
                .colony/skills                   colony       Skills, read by 1
                .colony/plugins                  colony       Plugins, read by 1
            "#]],
        );
    }

    #[test]
    fn user_places_begin_with_guild_agents_claude() {
        check(
            places(PlaceKind::User).iter().take(10),
            &expect![[r#"
                ~/.guild/skills                  guild        Skills, read by 1
                ~/.guild/plugins                 guild        Plugins, read by 1
                ~/.agents/skills                 agents       Skills, read by 21
                ~/.agents/plugins                agents       Plugins, read by 1
                ~/.claude/skills                 claude-code  Skills, read by 8
                ~/.claude/plugins                claude-code  Plugins, read by 1
                ~/.agent/skills                  agent        Skills, read by 2
                ~/.agent/plugins                 agent        Plugins, read by 1
                ~/.colony/skills                 colony       Skills, read by 1
                ~/.colony/plugins                colony       Plugins, read by 1
            "#]],
        );
    }

    #[test]
    fn few_agents_have_system_places() {
        check(
            &places(PlaceKind::System),
            &expect![[r#"
                /etc/guild/skills                guild        Skills, read by 1
                /etc/guild/plugins               guild        Plugins, read by 1
                /etc/claude-code/.claude/skills  claude-code  Skills, read by 1
                /etc/colony/skills               colony       Skills, read by 1
                /etc/colony/plugins              colony       Plugins, read by 1
                /etc/codex/skills                codex        Skills, read by 1
            "#]],
        );
    }

    #[test]
    fn plugins_are_looked_for_in_seven_conventions() {
        let all: Vec<_> = KINDS.into_iter().flat_map(places).collect();
        check(
            all.iter().filter(|place| place.holds == Holds::Plugins),
            &expect![[r#"
                .guild/plugins                   guild        Plugins, read by 1
                .agents/plugins                  agents       Plugins, read by 1
                .claude/plugins                  claude-code  Plugins, read by 1
                .agent/plugins                   agent        Plugins, read by 1
                .colony/plugins                  colony       Plugins, read by 1
                .mindroom/plugins                mindroom     Plugins, read by 1
                .ok/plugins                      ok           Plugins, read by 1
                ~/.guild/plugins                 guild        Plugins, read by 1
                ~/.agents/plugins                agents       Plugins, read by 1
                ~/.claude/plugins                claude-code  Plugins, read by 1
                ~/.agent/plugins                 agent        Plugins, read by 1
                ~/.colony/plugins                colony       Plugins, read by 1
                ~/.mindroom/plugins              mindroom     Plugins, read by 1
                ~/.ok/plugins                    ok           Plugins, read by 1
                /etc/guild/plugins               guild        Plugins, read by 1
                /etc/colony/plugins              colony       Plugins, read by 1
            "#]],
        );
    }

    #[test]
    fn a_place_is_labelled_by_its_owner_though_others_read_it_too() {
        let label = |kind, directory| {
            let place = places(kind).into_iter().find(|place| place.directory == directory);
            place.map(|place| place.convention)
        };
        for (directory, owner) in [
            (".agent/skills", "agent"),
            (".codex/skills", "codex"),
            (".factory/skills", "droid"),
            (".gemini/skills", "gemini-cli"),
            (".github/skills", "github-copilot"),
            (".kilocode/skills", "kilo"),
            (".opencode/skill", "opencode"),
            ("skills", "openclaw"),
        ] {
            assert_eq!(label(PlaceKind::Project, directory), Some(owner));
        }
        for (directory, owner) in [
            ("$CONFIG/agents/skills", "universal"),
            ("$CONFIG/goose/skills", "goose"),
            ("~/.codex/skills", "codex"),
            ("~/.copilot/skills", "github-copilot"),
        ] {
            assert_eq!(label(PlaceKind::User, directory), Some(owner));
        }
    }

    fn is_kebab(id: &str) -> bool {
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        id.split('-').all(plain)
    }

    fn is_well_formed(directory: &str, kind: PlaceKind) -> bool {
        let relative = match kind {
            PlaceKind::Project => Some(directory),
            PlaceKind::User => directory.strip_prefix("~/").or_else(|| directory.strip_prefix("$CONFIG/")),
            PlaceKind::System => directory.strip_prefix('/'),
        };
        let is_name = |part: &str| {
            let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
            !matches!(part, "" | "." | "..") && part.chars().all(known)
        };
        relative.is_some_and(|path| {
            let last = path.rsplit('/').next();
            path.split('/').all(is_name)
                && !path.starts_with(".config/")
                && matches!(last, Some("skills" | "skill" | "plugins"))
        })
    }
}
