//! From a skill that was found to one that can be approved and run: staged, read again from the copy, and hashed.
//!
//! The staged bytes are the skill from here on. What discovery read of it decides nothing any more.

use super::origin::Origin;
use super::payload::{ImageIdentity, Payload, RunnerIdentity, Surroundings, ToolIdentity};
use crate::Code;
use crate::hall::Hall;
use crate::image::Images;
use crate::sandbox::Refusal;
use crate::vet::policy;
use guild_catalog::Entry;
use guild_manifest::skill::{self, Hints, Profile, Skill, Source};
use guild_manifest::{Digest, FileEntry, Problem, TreeManifest};
use guild_sandbox::image::Resolved;
use guild_source::store::{Store, Stored};
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

/// What tells hosts how to show a skill, beside its file.
const SIDECAR: &str = "agents/openai.yaml";
/// As much of a script as says what runs it.
const HEAD_BYTES: u64 = 256;
/// A longer one is not read, as in discovery.
const MAX_SIDECAR_BYTES: u64 = 64 * 1024;

/// A skill that no longer depends on where it was found.
#[derive(Debug)]
pub struct Staged {
    /// Its files, or those of its whole plugin.
    pub tree: TreeManifest,
    /// The directory with the files, whole at this moment, to be mounted read-only.
    pub root: PathBuf,
    /// The skill's own directory below that; empty unless a plugin ships it.
    pub directory: String,
    /// What its file says, read from the staged copy: the contract that was hashed and is to be enforced.
    pub skill: Skill,
    /// The instructions, from the same copy.
    pub body: String,
    /// Names for `$name` in the instructions, in order.
    pub argument_names: Vec<String>,
    /// What else it tells whoever runs it: its model, the tools that it is scoped to.
    pub hints: Hints,
    /// The root file system that was hashed, held ready; `None` where it does not run in a container.
    pub image: Option<Resolved>,
    /// What was hashed.
    pub payload: Payload,
    /// The hash.
    pub security_hash: Digest,
}

/// Stages a skill of a hall, and hashes it. The payload is kept in the store, under the hash.
///
/// # Errors
/// Where the files are refused, too many or cannot be read, where they no longer are the skill that was found, or where its image
/// role has no image.
pub fn stage(hall: &Hall, entry: &Entry, images: &Images, store: &Store) -> Result<Staged, Refusal> {
    let origin = Origin::of(hall, entry)?;
    let Stored { tree, root, .. } = origin.stage(store).map_err(|error| Refusal::staging(entry, error))?;
    let own = own_file(&origin, entry, &tree)?;
    let bytes = store.get(&own.digest)?;
    let sidecar = sidecar(&origin, entry, &tree).map(|file| store.get(&file.digest)).transpose()?;
    let source = Source {
        file: &entry.place.file,
        stem: &origin.stem,
        bytes: &bytes,
        sidecar: sidecar.as_deref(),
        max_bytes: usize::try_from(hall.config.limits.max_file_bytes).unwrap_or(usize::MAX),
        form: entry.place.form,
    };
    let reading = skill::read(&source, Profile::Lenient);
    let skill = same_skill(entry, reading.skill, &reading.problems)?;
    let image = image(&skill, images)?;
    let around = Surroundings {
        plugin: origin.plugin,
        policy: policy(&hall.config).version(),
        image: image.as_ref().map(|(role, resolved)| ImageIdentity {
            role: role.clone(),
            digest: resolved.digest.to_string(),
        }),
    };
    let payload = Payload::new(&skill, own, &tree, around).read_as(entry.place.form);
    let security_hash = store.put(payload.text()?.as_bytes())?;
    Ok(Staged {
        root,
        directory: origin.directory,
        body: reading.body.into_owned(),
        argument_names: reading.hints.as_ref().map(|hints| hints.arguments.clone()).unwrap_or_default(),
        hints: reading.hints.unwrap_or_default(),
        image: image.map(|(_, resolved)| resolved),
        tree,
        skill,
        payload,
        security_hash,
    })
}

/// The skill's own file among those that were staged.
fn own_file<'t>(origin: &Origin, entry: &Entry, tree: &'t TreeManifest) -> Result<&'t FileEntry, Refusal> {
    let path = origin.inside(&entry.place.file);
    tree.file(&path).ok_or_else(|| changed(entry, &format!("`{path}` is no longer there")))
}

fn sidecar<'t>(origin: &Origin, entry: &Entry, tree: &'t TreeManifest) -> Option<&'t FileEntry> {
    let file = tree.file(&origin.inside(SIDECAR)).filter(|_| !entry.place.flat)?;
    (file.size <= MAX_SIDECAR_BYTES).then_some(file)
}

/// What was staged, if it still loads under the name by which it was found.
fn same_skill(entry: &Entry, read: Option<Skill>, problems: &[Problem]) -> Result<Skill, Refusal> {
    match read {
        Some(skill) if skill.name == entry.skill.name => Ok(skill),
        Some(skill) => Err(changed(entry, &format!("it is `{}` now", skill.name))),
        None => {
            let why = problems.iter().find(|problem| problem.excludes());
            Err(changed(entry, why.map_or("it does not load", |problem| &problem.message)))
        }
    }
}

fn changed(entry: &Entry, how: &str) -> Refusal {
    let message = format!("skill `{}` has changed since it was found: {how}", entry.qualified_name());
    Refusal::new(Code::SkillChanged, message)
}

/// The root file system of a skill whose code runs in a container, and the role it was chosen by.
fn image(skill: &Skill, images: &Images) -> Result<Option<(String, Resolved)>, Refusal> {
    let Some(contract) = skill.contract.as_deref() else { return Ok(None) };
    if contract.script.is_none() && contract.entrypoint.is_none() {
        return Ok(None);
    }
    let role = contract.image_role.as_deref().unwrap_or(&images.settings().role);
    Ok(Some((role.to_owned(), images.resolve(Some(role))?)))
}

impl Staged {
    /// Makes a tool that somebody else offers a part of what is hashed.
    pub(crate) fn pin(&mut self, tool: ToolIdentity, store: &Store) -> Result<(), Refusal> {
        self.payload.tool = Some(tool);
        self.security_hash = store.put(self.payload.text()?.as_bytes())?;
        Ok(())
    }

    /// Makes whoever runs the child agent a part of what is hashed.
    pub(crate) fn pin_runner(&mut self, runner: RunnerIdentity, store: &Store) -> Result<(), Refusal> {
        self.payload.runner = Some(runner);
        self.security_hash = store.put(self.payload.text()?.as_bytes())?;
        Ok(())
    }

    /// The directory with the skill's own files.
    pub fn skill_directory(&self) -> PathBuf {
        if self.directory.is_empty() { self.root.clone() } else { self.root.join(&self.directory) }
    }

    /// The skill's own file.
    pub fn skill_file(&self) -> PathBuf {
        self.root.join(&self.payload.skill.file)
    }

    /// Whether the files are those of a whole plugin.
    pub fn is_plugin(&self) -> bool {
        self.payload.plugin.is_some()
    }

    /// The first bytes of one of the skill's files; nothing if it is none.
    pub(crate) fn head_of(&self, path: &str) -> Option<Vec<u8>> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let inside =
            if self.directory.is_empty() { path.to_owned() } else { format!("{}/{path}", self.directory) };
        self.tree.file(&inside)?;
        let mut head = Vec::new();
        File::open(self.root.join(inside)).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
        Some(head)
    }
}
