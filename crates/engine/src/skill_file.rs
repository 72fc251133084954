//! `skill file`: the files of a skill and what is in them, for whoever may have the skill.
//!
//! What reaches a model has passed the vet, and a path never leads out of the skill.

use std::fs::File;
use std::io::{self, Read as _};

use guild_catalog::{Entry, bundled};
use guild_ledger::Principal;
use guild_manifest::Digest;
use guild_manifest::tree::Data;
use guild_vet::Verdict;

use crate::agent::skills_of;
use crate::hall::Hall;
use crate::instructions::instructions;
use crate::invocable::refusal;
use crate::resolve::resolve;
use crate::vet::{Gate, Subject};
use crate::{Code, Refusal};

/// The largest file that is handed out.
const LARGEST: u64 = 256 << 10;

/// A skill that its caller may have.
#[derive(Debug, Clone, Copy)]
pub struct HeldSkill<'h> {
    hall: &'h Hall,
    entry: &'h Entry,
}

/// What a file of a skill is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Where it lies in the skill.
    pub path: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// How many there are.
    pub size: u64,
}

/// The skill of this name, if the caller may have it and the vet lets it pass.
pub fn held_skill<'h>(hall: &'h Hall, name: &str, caller: &Principal) -> Result<HeldSkill<'h>, Refusal> {
    let entry = resolve(hall, name).map_err(|found| Refusal::new(found.code, found.message))?;
    if let Some(reason) = refusal(hall, entry, caller) {
        return Err(Refusal::new(Code::SkillNotInvocable, reason));
    }
    let mut gate = Gate::open(hall);
    let verdict = gate.vet(&Subject::of_entry(&hall.snapshot, entry)).verdict;
    gate.close();
    if verdict == Verdict::Deny.as_str() {
        let message = format!("the vet denies skill `{}`; `guild vet` says why", entry.qualified_name());
        return Err(Refusal::new(Code::SecurityPreflightDenied, message));
    }
    Ok(HeldSkill { hall, entry })
}

/// The skills that are offered to an agent, in the order of its allowlist, else by name. The vet has not seen them.
pub fn offered<'h>(hall: &'h Hall, agent: &str) -> Vec<&'h Entry> {
    skills_of(hall, agent)
}

/// Of the skills that are offered to an agent so many from one on, those that the vet lets pass; and where the next begin.
pub fn held_page<'h>(
    hall: &'h Hall,
    agent: &str,
    (from, count): (usize, usize),
) -> (Vec<HeldSkill<'h>>, Option<usize>) {
    let offered = skills_of(hall, agent);
    let next = from.saturating_add(count);
    let page: Vec<&Entry> = offered.iter().skip(from).take(count).copied().collect();
    let mut gate = Gate::open(hall);
    let (entries, _) = gate.admit(hall, page);
    gate.close();
    let held = entries.into_iter().map(|entry| HeldSkill { hall, entry }).collect();
    (held, (next < offered.len()).then_some(next))
}

impl<'h> HeldSkill<'h> {
    /// What the snapshot knows of it.
    pub fn entry(&self) -> &'h Entry {
        self.entry
    }

    /// Where its files lie, relative to it, sorted.
    pub fn paths(&self) -> Vec<String> {
        guild_catalog::files(&self.entry.place)
    }

    /// Its files by digest; those that cannot be read are not among them.
    pub fn files(&self) -> Vec<SkillFile> {
        let file = |path: String| {
            let bytes = bytes(self.entry, &path, u64::MAX).ok()?;
            Some(SkillFile { digest: Digest::of(&bytes), size: bytes.len() as u64, path })
        };
        self.paths().into_iter().filter_map(file).collect()
    }

    /// Names for the words that it takes, in order.
    pub fn argument_names(&self) -> Vec<String> {
        instructions(self.hall, self.entry).map(|read| read.argument_names).unwrap_or_default()
    }

    /// The frontmatter of its main file, as written.
    pub fn frontmatter(&self) -> io::Result<Data> {
        instructions(self.hall, self.entry).map(|read| read.frontmatter)
    }

    /// The bytes of one file; of its main file where none is named.
    pub fn read(&self, path: Option<&str>) -> Result<Vec<u8>, Refusal> {
        let name = self.entry.qualified_name();
        let path = path.unwrap_or(&self.entry.place.file);
        if !self.paths().iter().any(|file| file == path) {
            let message = format!("skill `{name}` has no file `{path}`; `list_skill_files` lists them");
            return Err(Refusal::new(Code::PathNotFound, message));
        }
        let failed = |error| Refusal::new(Code::ReadFailed, format!("cannot read `{path}`: {error}"));
        let bytes = bytes(self.entry, path, LARGEST).map_err(failed)?;
        if bytes.len() as u64 > LARGEST {
            let message = format!("`{path}` is larger than {LARGEST} bytes");
            return Err(Refusal::new(Code::ReadFailed, message));
        }
        Ok(bytes)
    }
}

/// The bytes of a file that lies in the skill, and nowhere else; one byte more than `most` where there are more.
fn bytes(entry: &Entry, path: &str, most: u64) -> io::Result<Vec<u8>> {
    if let Some(files) = bundled::files(&entry.place) {
        let file = files.iter().find(|file| file.path == path);
        return file.map(|file| file.bytes.to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into());
    }
    let top = entry.place.directory.canonicalize()?;
    let real = top.join(path).canonicalize()?;
    if !real.starts_with(&top) || !real.is_file() {
        return Err(io::Error::other("it lies outside the skill"));
    }
    let mut bytes = Vec::new();
    File::open(real)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
