//! The parts of a plugin that are files: skills, commands, agents and hooks, declared or in their usual places.
//!
//! It says where they lie. What is in them is read by others; hooks are looked at, so that what is wrong with them is told.

use super::fields::Fields;
use super::inspection::Inspection;
use super::model::{HookSource, Scan, SkillDir};
use super::{Files, hooks, path};
use crate::{Code, Pos};

/// What a declared place means beside the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declared {
    /// Both count.
    Adds,
    /// The declared place counts instead.
    Replaces,
}

/// The usual place of hooks.
const HOOKS: &str = "hooks/hooks.json";

/// Where the skills lie: what `skills` declares, the usual directory, or a plugin that is itself one skill.
pub(super) fn skill_dirs(fields: &mut Fields<'_>, declared: Declared, scan: Scan) -> Vec<SkillDir> {
    let inspection = fields.inspection;
    let listed = listed_skill_dirs(fields, scan);
    let mut found = Vec::new();
    if declared == Declared::Adds || listed.is_empty() {
        found.extend(usual_skill_dir(inspection, scan));
    }
    if found.is_empty() && listed.is_empty() {
        found.extend(root_skill(inspection));
    }
    for dir in listed {
        if !found.iter().any(|known| known.path == dir.path) {
            found.push(dir);
        }
    }
    found
}

/// The directories that `skills` declares and that are there.
pub(super) fn listed_skill_dirs(fields: &mut Fields<'_>, scan: Scan) -> Vec<SkillDir> {
    let inspection = fields.inspection;
    let places = fields.places("skills");
    places.iter().filter_map(|(place, at)| listed_skill_dir(inspection, place, *at, scan)).collect()
}

/// The directory `skills`, if the plugin has it.
pub(super) fn usual_skill_dir(inspection: Inspection<'_>, scan: Scan) -> Option<SkillDir> {
    inspection.files.is_dir("skills").then(|| SkillDir { path: "skills".to_owned(), scan })
}

/// The plugin's own directory, if it is a skill.
pub(super) fn root_skill(inspection: Inspection<'_>) -> Option<SkillDir> {
    let is_skill = inspection.files.is_file("SKILL.md");
    is_skill.then(|| SkillDir { path: ".".to_owned(), scan: Scan::Itself })
}

/// The places that `key` declares, or the usual directory of that name.
pub(super) fn places(fields: &mut Fields<'_>, key: &str) -> Vec<String> {
    let inspection = fields.inspection;
    let mut found: Vec<String> = Vec::new();
    for (place, at) in fields.places(key) {
        let exists = |_: &dyn Files, path: &str| inspection.has(path);
        found.extend(inspection.existing(key, (&place, at), exists).filter(|place| !found.contains(place)));
    }
    if found.is_empty() && inspection.files.is_dir(key) {
        found.push(key.to_owned());
    }
    found
}

/// The file of code that `key` names.
pub(super) fn module(fields: &mut Fields<'_>, key: &str) -> Option<String> {
    let node = fields.take(key)?;
    let Some(place) = node.as_str() else {
        fields.wrong(key, node, "text");
        return None;
    };
    fields.inspection.existing(key, (place, node.at), |files, path| files.is_file(path))
}

/// The hooks in their usual file and those that `hooks` declares: paths, an object, or a list of either.
pub(super) fn hooks(fields: &mut Fields<'_>) -> Vec<HookSource> {
    let mut found: Vec<HookSource> = Vec::new();
    if fields.inspection.files.is_file(HOOKS) {
        found.push(HookSource::File(HOOKS.to_owned()));
    }
    hooks::check_file(fields.inspection, HOOKS);
    let Some(node) = fields.take("hooks") else { return found };
    for item in node.as_list().unwrap_or(std::slice::from_ref(node)) {
        let hook = if item.as_map().is_some() {
            if let Some(within) = fields.within("hooks", item) {
                hooks::check(&within.with_code(Code::HooksInvalid));
            }
            Some(HookSource::Inline(item.to_data()))
        } else if let Some(path) = item.as_str() {
            let file =
                fields.inspection.existing("hooks", (path, item.at), |files, path| files.is_file(path));
            if let Some(file) = file.as_deref().filter(|file| *file != HOOKS) {
                hooks::check_file(fields.inspection, file);
            }
            file.map(HookSource::File)
        } else {
            fields.wrong("hooks", item, "a path, an object, or a list of those");
            None
        };
        found.extend(hook.filter(|hook| !found.contains(hook)));
    }
    found
}

fn listed_skill_dir(inspection: Inspection<'_>, place: &str, at: Pos, scan: Scan) -> Option<SkillDir> {
    // Some list the file instead of its directory.
    let place = match place.strip_suffix("SKILL.md") {
        Some("") => ".",
        Some(directory) if directory.ends_with('/') => directory,
        _ => place,
    };
    let path = inspection.existing("skills", (place, at), |files, path| files.is_dir(path))?;
    let is_skill = inspection.files.is_file(&path::join(&path, "SKILL.md"));
    Some(SkillDir { path, scan: if is_skill { Scan::Itself } else { scan } })
}
