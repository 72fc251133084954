//! `show`: everything about one skill, its body included.
//!
//! It shows and judges nothing; skills that a caller may not have are shown all the same.

use crate::deps::lines;
use crate::hall::Hall;
use crate::instructions::{Instructions, instructions, unreadable};
use crate::reply::{Contract, Detail, History, Param, ProblemLine, Show, SkillSummary};
use crate::resolve::{Unresolved, resolve};
use crate::{Code, Envelope};
use guild_catalog::Entry;
use guild_manifest::skill;
use guild_manifest::tree::Data;

/// How long a run may take where a skill does not say.
const DEFAULT_TIMEOUT_SECONDS: u32 = 600;
/// The image role where a skill does not say.
const DEFAULT_ROLE: &str = "default";

/// Shows one skill by any of its names.
pub fn show<'a>(hall: &'a Hall, name: &str) -> Envelope<Show<'a>> {
    let missing = |candidates| Show { found: false, skill: None, candidates };
    let entry = match resolve(hall, name) {
        Ok(entry) => entry,
        Err(unresolved) => {
            let Unresolved { code, message, candidates } = unresolved;
            return Envelope::error(code, message, missing(candidates));
        }
    };
    match instructions(hall, entry) {
        Ok(instructions) => {
            let skill = Some(detail(hall, entry, instructions));
            Envelope::ok(Show { found: true, skill, candidates: Vec::new() })
        }
        Err(error) => Envelope::error(Code::ReadFailed, unreadable(entry, &error), missing(Vec::new())),
    }
}

fn detail<'a>(hall: &'a Hall, entry: &'a Entry, instructions: Instructions) -> Detail<'a> {
    let contract = entry.skill.contract.as_deref();
    let params = contract.and_then(|contract| contract.params.as_ref());
    let name = entry.qualified_name();
    let kept = entry.place.path();
    let shadows = hall.snapshot.collisions.iter().filter(|c| c.name == name && c.kept.1 == kept);
    Detail {
        summary: SkillSummary::of(entry),
        body: instructions.text.trim_start_matches('\n').to_owned(),
        directory: &entry.place.directory,
        files: guild_catalog::files(&entry.place),
        script: contract.and_then(|contract| contract.script.as_deref()),
        params: params.map(|params| params.list.iter().map(param).collect()).unwrap_or_default(),
        params_schema: params.map(skill::Params::schema),
        contract: declared(contract),
        timeout_seconds: contract.and_then(|c| c.limits.timeout_seconds).unwrap_or(DEFAULT_TIMEOUT_SECONDS),
        install: lines(hall, entry),
        aliases: &entry.skill.aliases,
        shadows: shadows.map(|collision| collision.skipped.1.as_path()).collect(),
        paths: &entry.skill.paths,
        digest: instructions.digest.to_string(),
        frontmatter: instructions.frontmatter.to_json(),
        history: hall.experience.get(name.as_ref()).map(History::of),
        diagnostics: entry.problems.iter().map(ProblemLine::of).collect(),
    }
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
