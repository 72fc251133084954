//! From a name to a skill: exact names first, then aliases, then either in another letter case; never a guess between two.
//!
//! Who may have the skill is not asked here.

use super::{Entry, Snapshot};
use guild_manifest::skill::Skill;

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

/// How a name may match a skill's, from the surest way to the loosest.
const WAYS: &[fn(&Skill, &str) -> bool] = &[
    |skill, name| skill.name == name,
    |skill, name| skill.aliases.iter().any(|alias| alias == name),
    |skill, name| is_alike(&skill.name, name),
    |skill, name| skill.aliases.iter().any(|alias| is_alike(alias, name)),
];

impl Snapshot {
    /// Finds a skill by its qualified name (`plugin/skill` or `plugin:skill`), its bare name or an alias.
    ///
    /// A skill that belongs to no plugin is qualified by its bare name, so that it is found before plugins' skills of
    /// that name. A looser match counts only where there is no surer one.
    pub fn find(&self, name: &str) -> Lookup<'_> {
        if self.is_held_by_broken(name) {
            return Lookup::Missing(Vec::new());
        }
        for way in WAYS {
            let own = self.skills.iter().filter(|entry| match &entry.place.plugin {
                None => way(&entry.skill, name),
                Some(plugin) => within(plugin, name).is_some_and(|rest| way(&entry.skill, rest)),
            });
            let bare =
                self.skills.iter().filter(|entry| entry.place.plugin.is_some() && way(&entry.skill, name));
            if let Some(found) = Lookup::among(own.collect()).or_else(|| Lookup::among(bare.collect())) {
                return found;
            }
        }
        let bare = self.skills.iter().map(|entry| entry.skill.name.clone());
        let of_plugins = self
            .skills
            .iter()
            .filter(|entry| entry.place.plugin.is_some())
            .map(|entry| entry.qualified_name().into_owned());
        Lookup::Missing(near(name, bare.chain(of_plugins)))
    }
}

impl Snapshot {
    /// Whether exactly this name belongs to a skill that does not load, so that nothing else may answer to it.
    fn is_held_by_broken(&self, name: &str) -> bool {
        self.broken.iter().any(|broken| broken.place.plugin.is_none() && broken.name == name)
    }
}

impl<'a> Lookup<'a> {
    fn among(found: Vec<&'a Entry>) -> Option<Self> {
        match found.as_slice() {
            [] => None,
            [only] => Some(Self::Found(only)),
            several => Some(Self::Ambiguous(
                several.iter().map(|entry| entry.qualified_name().into_owned()).collect(),
            )),
        }
    }
}

/// What a name says behind the plugin's. A plugin that is named by its directory may have a separator in its own name.
fn within<'n>(plugin: &str, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(plugin)?.strip_prefix(['/', ':'])
}

fn is_alike(known: &str, name: &str) -> bool {
    known.eq_ignore_ascii_case(name) || (!name.is_ascii() && known.to_lowercase() == name.to_lowercase())
}

/// Up to three of the known names that are near to a wrong one, nearest first.
pub fn near(name: &str, known: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = name.to_lowercase();
    let allowed = (wanted.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, String)> = known
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let is_within = |part: &str, whole: &str| part.chars().count() >= 3 && whole.contains(part);
            let contains = is_within(&wanted, &lower) || is_within(&lower, &wanted);
            let distance = strsim::damerau_levenshtein(&wanted, &lower);
            (contains || distance <= allowed).then_some((if contains { 1 } else { distance }, candidate))
        })
        .collect();
    found.sort();
    found.dedup_by(|a, b| a.1 == b.1);
    found.into_iter().map(|(_, candidate)| candidate).take(3).collect()
}
