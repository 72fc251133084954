//! Stable ids: the same source has the same id, and no two sources share one.
//!
//! `skill-` or `plugin-`, then the source's path with `-` between its segments. A dash within a segment is written twice, and one
//! that begins a segment `%2d`, so that every odd run of dashes ends in a separator. Sources of other kinds than `owner/repo` have
//! their kind before them. Where one source lies at several places, all but the first have `::` and a part of the place's digest behind.

use super::{SourceType, Subject, SubjectKind};
use guild_manifest::Digest;

/// How much of a place's digest tells two places apart.
const DIGITS: usize = 12;

/// The id of a skill or plugin at its place, where `places` says at which places an id is registered: the one that it has, or one that
/// is free.
pub(super) fn among<'p>(subject: &Subject, places: impl Fn(&str) -> &'p [String]) -> String {
    let plain = plugin_id(subject.kind, subject.source_type, &subject.source);
    let digest = Digest::of(subject.place.as_bytes()).to_hex();
    let apart = format!("{plain}::{}", digest.get(..DIGITS).unwrap_or_default());
    let is_here = |id: &str| places(id).contains(&subject.place);
    let is_taken = places(&plain).iter().any(|place| *place != subject.place);
    if is_here(&apart) || (is_taken && !is_here(&plain)) { apart } else { plain }
}

/// The id of a skill or plugin. Empty segments of the source do not count; a slash at its beginning does.
pub fn plugin_id(kind: SubjectKind, source_type: SourceType, source: &str) -> String {
    let way = match source_type {
        SourceType::Skills => String::new(),
        other => format!("{}:", other.as_str().replace('-', "--")),
    };
    let root = if source.starts_with('/') { "%2f" } else { "" };
    let segments = source.split('/').filter(|segment| !segment.is_empty());
    let path = segments.map(escaped).collect::<Vec<_>>().join("-");
    format!("{}-{way}{root}{path}", kind.as_str())
}

/// A segment in which nothing can be taken for a separator.
fn escaped(segment: &str) -> String {
    let mut written = String::with_capacity(segment.len());
    for (index, letter) in segment.char_indices() {
        match letter {
            '-' if index == 0 => written.push_str("%2d"),
            '-' => written.push_str("--"),
            '%' => written.push_str("%25"),
            ':' => written.push_str("%3a"),
            '\0' => written.push_str("%00"),
            letter => written.push(letter),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[track_caller]
    fn check(source_type: SourceType, source: &str, expected: &str) {
        assert_eq!(plugin_id(SubjectKind::Skill, source_type, source), expected);
    }

    #[test]
    fn an_id_is_the_path_of_the_source() {
        check(SourceType::Skills, "owner/repo/name", "skill-owner-repo-name");
        check(SourceType::Skills, "a-b/c", "skill-a--b-c");
        check(SourceType::Skills, "a/b-c", "skill-a-b--c");
        check(SourceType::Skills, "a//b/", "skill-a-b");
        check(SourceType::Skills, "a/-b", "skill-a-%2db");
        check(SourceType::Skills, "a-/b", "skill-a---b");
        check(SourceType::Local, "/home/ada/my-skill", "skill-local:%2fhome-ada-my--skill");
        check(SourceType::WellKnown, "example.org/x", "skill-well--known:example.org-x");
        assert_eq!(plugin_id(SubjectKind::Plugin, SourceType::Npm, "@a/b"), "plugin-npm:@a-b");
    }

    /// Every text of up to seven of the characters that ids are made of, by every way.
    #[test]
    fn no_two_sources_share_an_id() {
        let alphabet = ['a', '-', '/', '%', ':'];
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..6 {
            let longer = |text: &String| alphabet.map(|letter| format!("{text}{letter}"));
            last = last.iter().flat_map(longer).collect();
            texts.extend(last.iter().cloned());
        }
        let mut known: BTreeMap<String, (SubjectKind, SourceType, Vec<String>)> = BTreeMap::new();
        for source in &texts {
            let rooted = source.starts_with('/').then(|| "/".to_owned());
            let segments = source.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned);
            let meaning: Vec<String> = rooted.into_iter().chain(segments).collect();
            for source_type in [SourceType::Skills, SourceType::Local] {
                let id = plugin_id(SubjectKind::Skill, source_type, source);
                let meant = (SubjectKind::Skill, source_type, meaning.clone());
                let other = known.insert(id.clone(), meant.clone());
                assert!(other.is_none_or(|other| other == meant), "{source} as {id}");
            }
        }
        assert!(known.len() > 10_000, "{}", known.len());
    }
}
