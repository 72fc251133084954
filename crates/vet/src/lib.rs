//! Is a skill safe to load: bytes in, findings with codes and evidence out.
//!
//! The crate does no I/O, knows no clock and no network, and asks no model. Its time is linear in its input, its memory
//! is bounded by it, and it never panics. What it claims is narrow: mechanical threats are denied by rule, everything
//! else is contained elsewhere. A limit that is reached is reported and is never a clean result.

mod address;
mod archive;
mod asset;
mod bytecode;
mod code;
mod codes;
mod context;
mod decode;
mod dependency;
mod document;
mod evidence;
mod file;
mod finding;
mod flow;
mod frontmatter;
mod input;
mod language;
mod launch;
mod markdown;
mod needs;
mod pattern;
mod places;
mod programs;
mod prose;
mod report;
mod rows;
mod scan;
mod secrets;
mod shell;
mod syntax;
mod triggers;
mod unicode;
mod verdict;
mod warm;

pub use codes::{Code, Tier};
pub use evidence::MAX_EVIDENCE;
pub use finding::Finding;
pub use input::{Content, File, Input, Remark};
pub use needs::{Needs, Use, fitting};
pub use report::Report;
pub use verdict::{Policy, RULES, Suppression, Verdict, Version};
pub use warm::warm_up;

use programs::Programs;
use scan::Scan;

/// Vets one skill.
pub fn vet(input: &Input<'_>) -> Report {
    vet_part(input, Programs::read(input.files.iter()))
}

/// Vets what is used together, such as the skills of a plugin and the files they share: each by itself and in its order, but
/// its programs are followed into those of the others. Paths are relative to one directory.
pub fn vet_together(inputs: &[Input<'_>]) -> Vec<Report> {
    let mut programs = Programs::read(inputs.iter().flat_map(|input| input.files));
    inputs.iter().map(|input| vet_part(input, programs.of_part(input.files))).collect()
}

fn vet_part(input: &Input<'_>, programs: Programs) -> Report {
    let mut scan = Scan::with(programs);
    let is_defensive = frontmatter::scan(input, &mut scan);
    for file in input.files {
        file::scan(file, &file::Skill { input, is_defensive }, &mut scan);
    }
    for remark in input.remarks {
        scan.add(Finding::new(remark.code, &remark.path, remark.line, "").saying(&remark.message));
    }
    let needs = std::mem::take(&mut scan.needs);
    if let Some(contract) = input.contract {
        needs::compare(&needs, contract, input.main).into_iter().for_each(|finding| scan.add(finding));
    }
    let (findings, partial) = scan.finish();
    Report::new(input.digest(), findings, partial, needs)
}
