//! `show`: everything about one skill, its body included.

use crate::hall::Hall;
use crate::reply::{Contract, Detail, Param, ProblemLine, Show, SkillSummary};
use crate::{Code, Envelope};
use guild_catalog::{Entry, Lookup};
use guild_manifest::Digest;
use guild_manifest::skill::{self, Profile, Source};
use guild_manifest::tree::Data;

/// How long a run may take where a skill does not say.
const DEFAULT_TIMEOUT_SECONDS: u32 = 600;
/// The image role where a skill does not say.
const DEFAULT_ROLE: &str = "default";

/// Shows one skill by any of its names.
pub fn show<'a>(hall: &'a Hall, name: &str) -> Envelope<Show<'a>> {
    let missing = |candidates| Show { found: false, skill: None, candidates };
    match hall.snapshot.find(name) {
        Lookup::Found(entry) => match detail(hall, entry) {
            Ok(detail) => Envelope::ok(Show { found: true, skill: Some(detail), candidates: Vec::new() }),
            Err(error) => {
                let message = format!("cannot read {}: {error}", entry.place.path().display());
                Envelope::error(Code::ReadFailed, message, missing(Vec::new()))
            }
        },
        Lookup::Ambiguous(candidates) => {
            let message = ambiguous(name, &candidates);
            Envelope::error(Code::SkillAmbiguous, message, missing(candidates))
        }
        Lookup::Missing(near) => {
            Envelope::error(Code::SkillNotFound, not_found(hall, name, &near), missing(near))
        }
    }
}

/// The sentence for a name that nobody bears, with what is near it or why a bearer is out.
pub(crate) fn not_found(hall: &Hall, name: &str, near: &[String]) -> String {
    let broken = hall
        .snapshot
        .broken
        .iter()
        .find(|broken| broken.name == name || broken.place.qualified(&broken.name) == name);
    match (broken, near) {
        (Some(broken), _) => format!(
            "skill `{name}` does not load; run `guild check {}` to see why",
            broken.place.own().display()
        ),
        (None, []) => format!("skill `{name}` not found; `guild list` shows every skill"),
        (None, near) => format!("skill `{name}` not found; did you mean `{}`?", near.join("`, `")),
    }
}

/// The sentence for a name that several bear.
pub(crate) fn ambiguous(name: &str, candidates: &[String]) -> String {
    format!("several skills are named `{name}`; use one of `{}`", candidates.join("`, `"))
}

fn detail<'a>(hall: &'a Hall, entry: &'a Entry) -> std::io::Result<Detail<'a>> {
    let bytes = guild_catalog::bytes(entry)?;
    let stem =
        entry.place.own().file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let reading = skill::read(&Source::new(&entry.place.file, &stem, &bytes), Profile::Lenient);
    let contract = entry.skill.contract.as_deref();
    let params = contract.and_then(|contract| contract.params.as_ref());
    let name = entry.qualified_name();
    let kept = entry.place.path();
    let shadows = hall.snapshot.collisions.iter().filter(|c| c.name == name && c.kept.1 == kept);
    Ok(Detail {
        summary: SkillSummary::of(entry),
        body: reading.body.trim_start_matches('\n').to_owned(),
        directory: &entry.place.directory,
        files: guild_catalog::files(&entry.place),
        script: contract.and_then(|contract| contract.script.as_deref()),
        params: params.map(|params| params.list.iter().map(param).collect()).unwrap_or_default(),
        params_schema: params.map(skill::Params::schema),
        contract: declared(contract),
        timeout_seconds: contract.and_then(|c| c.limits.timeout_seconds).unwrap_or(DEFAULT_TIMEOUT_SECONDS),
        aliases: &entry.skill.aliases,
        shadows: shadows.map(|collision| &collision.skipped.1).collect(),
        paths: &entry.skill.paths,
        digest: Digest::of(&bytes).to_string(),
        frontmatter: reading.frontmatter.to_data().to_json(),
        diagnostics: entry.problems.iter().map(ProblemLine::of).collect(),
    })
}

fn param(param: &skill::Param) -> Param<'_> {
    Param {
        name: &param.name,
        kind: &param.kind,
        required: param.required,
        description: param.description.as_deref(),
    }
}

fn declared(contract: Option<&skill::Contract>) -> Contract<'_> {
    Contract {
        declared: contract.is_some(),
        workspace: contract.map_or_else(Default::default, |c| c.workspace).as_str(),
        network: contract.map_or_else(Default::default, |c| c.network).as_str(),
        env: contract.map(|c| c.env.as_slice()).unwrap_or_default(),
        tools: contract.map(|c| c.tools.as_slice()).unwrap_or_default(),
        image_role: contract.and_then(|c| c.image_role.as_deref()).unwrap_or(DEFAULT_ROLE),
        outputs: contract.and_then(|c| c.outputs.as_ref()).map(Data::to_json),
    }
}
