//! From a name to a skill: exact first, then the bare name, then aliases; never a guess between two.

use super::{Entry, Snapshot};

/// What a name leads to.
#[derive(Debug)]
pub enum Lookup<'a> {
    /// Exactly one skill.
    Found(&'a Entry),
    /// Several skills bear the name; these are their qualified names.
    Ambiguous(Vec<String>),
    /// None does; these are names near it.
    Missing(Vec<String>),
}

impl Snapshot {
    /// Finds a skill by its qualified name (`plugin/skill` or `plugin:skill`), its bare name or an alias.
    pub fn find(&self, name: &str) -> Lookup<'_> {
        let qualified = name.replacen(':', "/", 1);
        if let Some(entry) = self.skills.iter().find(|entry| matches_qualified(entry, &qualified)) {
            return Lookup::Found(entry);
        }
        type Test = fn(&Entry, &str) -> bool;
        const TESTS: &[Test] = &[
            |entry, name| entry.skill.name == name,
            |entry, name| entry.skill.aliases.iter().any(|alias| alias == name),
            |entry, name| entry.skill.name.eq_ignore_ascii_case(name),
            |entry, name| entry.skill.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name)),
        ];
        for test in TESTS {
            let found: Vec<&Entry> = self.skills.iter().filter(|entry| test(entry, name)).collect();
            match found.as_slice() {
                [] => {}
                [only] => return Lookup::Found(only),
                several => {
                    return Lookup::Ambiguous(several.iter().map(|entry| entry.qualified_name()).collect());
                }
            }
        }
        let known = self.skills.iter().flat_map(|entry| {
            [entry.skill.name.clone()]
                .into_iter()
                .chain(entry.place.plugin.is_some().then(|| entry.qualified_name()))
        });
        Lookup::Missing(near(name, known))
    }
}

fn matches_qualified(entry: &Entry, name: &str) -> bool {
    match &entry.place.plugin {
        None => entry.skill.name == name,
        Some(plugin) => name
            .strip_prefix(plugin.as_ref())
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(|rest| rest == entry.skill.name),
    }
}

/// Up to three of the known names that are near to a wrong one, nearest first.
pub fn near(name: &str, known: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = name.to_lowercase();
    let allowed = (wanted.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, String)> = known
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let contains =
                wanted.chars().count() >= 3 && (lower.contains(&wanted) || wanted.contains(&lower));
            let distance = strsim::damerau_levenshtein(&wanted, &lower);
            (contains || distance <= allowed).then_some((if contains { 1 } else { distance }, candidate))
        })
        .collect();
    found.sort();
    found.dedup_by(|a, b| a.1 == b.1);
    found.into_iter().map(|(_, candidate)| candidate).take(3).collect()
}
