//! Reading one skill: its file, what stands beside it, and what it depends on.
//!
//! Where its file or its sidecar is a link out of its directory, what that leads to is not read.

use super::skill_files::{self, SkillDirectory};
use crate::Fingerprint;
use crate::directory::{Directory, FileRead, Kind, Name};
use crate::index::{Record, Stamp};
use guild_manifest::config::Config;
use guild_manifest::skill::{self, Form, Profile, Skill, Source};
use guild_manifest::{Code, Pos, Problem, text};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// The name that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// Names that people give the file by mistake.
const ODD_NAMES: &[&str] = &["skill.md", "skills.md"];
/// What a skill's own directory may hold that is read with it.
pub const SIDECAR_DIRECTORY: &str = "agents";
const SIDECAR: &str = "agents/openai.yaml";
const MAX_SIDECAR_BYTES: u64 = 64 * 1024;

/// How a skill is read.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// How many bytes its file may have.
    pub limit: usize,
    /// How strictly it is judged.
    pub profile: Profile,
    /// As what it is read.
    pub form: Form,
}

impl Manner {
    /// The manner of discovery: within the configured limit, loading what can be loaded.
    pub fn lenient(config: &Config) -> Self {
        let limit = usize::try_from(config.limits.max_file_bytes).unwrap_or(usize::MAX);
        Self { limit, profile: Profile::Lenient, form: Form::Skill }
    }
}

/// What a directory is.
pub enum Found {
    /// A skill.
    Skill(Box<Record>),
    /// No skill, but perhaps a group of them.
    Group(Vec<Name>),
    /// Nobody can tell, because its names cannot be read.
    Unreadable,
}

/// Whether a file of that name makes its directory a skill.
pub fn is_skill_file(name: &OsStr) -> bool {
    name == SKILL_FILE || ODD_NAMES.iter().any(|odd| name.eq_ignore_ascii_case(odd))
}

/// Reads a directory that may be a skill.
pub fn read_directory(directory: &SkillDirectory<'_>, manner: Manner) -> Found {
    let Ok(names) = directory.open.names() else { return Found::Unreadable };
    let exact = names.iter().find(|name| name.name == SKILL_FILE);
    let file = exact.or_else(|| names.iter().find(|name| is_skill_file(&name.name)));
    let Some(file) = file.filter(|name| name.kind != Kind::Directory) else { return Found::Group(names) };
    let file = if exact.is_some() {
        Cow::Borrowed(SKILL_FILE)
    } else {
        Cow::Owned(file.name.to_string_lossy().into_owned())
    };
    let stem = directory.path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    let mut record = blank(file.clone());
    let surveyed = skill_files::survey(directory, &names, &[file.as_ref(), SIDECAR]);
    let mut escaping = surveyed.problems.iter().filter(|problem| problem.code == Code::FileEscapes);
    if escaping.any(|problem| problem.file == *file || SIDECAR.starts_with(&problem.file)) {
        // What these lead to is none of the skill's: it is not read, so that not even a problem can quote it.
        let facts = directory.open.facts_of(Path::new(file.as_ref())).ok();
        record.seen = facts.map(|facts| Stamp::of(&facts)).unwrap_or_default();
        record.beside = surveyed.beside;
        record.problems = surveyed.problems;
        return Found::Skill(Box::new(record));
    }
    let sidecar = read_sidecar(directory, &names, &mut record);
    let beside = Beside { stem: &stem, sidecar: sidecar.as_deref() };
    fill(&mut record, directory.open, Path::new(file.as_ref()), beside, manner);
    record.beside.extend(surveyed.beside);
    record.problems.extend(surveyed.problems);
    record.problems.extend(odd_name(&file));
    record.problems.extend(script_problem(directory.open, &file, record.skill.as_deref()));
    manner.profile.weigh(&mut record.problems);
    if record.problems.iter().any(Problem::excludes) {
        record.skill = None;
    }
    Found::Skill(Box::new(record))
}

/// Reads a flat `<name>.md`; `None` where it is no skill, as most Markdown files are not.
pub fn read_flat(root: &Directory, in_root: &Path, manner: Manner) -> Option<Record> {
    let record = read_single(root, in_root, manner)?;
    let is_prose = |problem: &Problem| {
        matches!(
            problem.code,
            Code::MissingFrontmatter | Code::BinaryFile | Code::UnreadableFile | Code::FileTooLarge
        )
    };
    let says_nothing = record.skill.as_ref().is_some_and(|skill| {
        skill.description.is_empty()
            && record.problems.iter().any(|problem| problem.code == Code::NameMissing)
    });
    (!record.problems.iter().any(is_prose) && !says_nothing).then_some(record)
}

/// Reads a file as a skill, whatever it is.
pub fn read_single(root: &Directory, in_root: &Path, manner: Manner) -> Option<Record> {
    let file = in_root.file_name()?.to_string_lossy().into_owned();
    let stem = in_root.file_stem()?.to_string_lossy().into_owned();
    let mut record = Record { flat: true, ..blank(Cow::Owned(file)) };
    fill(&mut record, root, in_root, Beside { stem: &stem, sidecar: None }, manner);
    Some(record)
}

fn blank(file: Cow<'static, str>) -> Record {
    Record {
        file,
        flat: false,
        seen: Stamp::default(),
        beside: Vec::new(),
        fingerprint: Fingerprint::default(),
        skill: None,
        problems: Vec::new(),
    }
}

/// What is known of a skill without its file.
struct Beside<'a> {
    stem: &'a str,
    sidecar: Option<&'a [u8]>,
}

/// Reads the skill's file, which stands at `path` in `directory`, into the record.
fn fill(record: &mut Record, directory: &Directory, path: &Path, beside: Beside<'_>, manner: Manner) {
    let Manner { limit, profile, form } = manner;
    BYTES.with_borrow_mut(|bytes| match read_bytes(directory, path, limit, bytes) {
        Ok(seen) => {
            let Beside { stem, sidecar } = beside;
            let source = Source { file: &record.file, stem, bytes, sidecar, max_bytes: limit, form };
            let reading = skill::read(&source, profile);
            record.seen = seen;
            record.fingerprint = Fingerprint::of(bytes);
            record.skill = reading.skill.map(Box::new);
            record.problems = reading.problems;
        }
        Err((seen, problem)) => {
            record.seen = seen;
            record.problems.push(problem.in_file(record.file.as_ref()));
        }
    });
}

thread_local! {
    /// One buffer per thread for all files: a fresh one each time would scatter what is kept over the memory.
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Reads a regular file within the limit, and says as what it was seen.
fn read_bytes(
    directory: &Directory,
    path: &Path,
    limit: usize,
    bytes: &mut Vec<u8>,
) -> Result<Stamp, (Stamp, Problem)> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let message = format!("the file cannot be read: {error}");
        Problem::new(Code::UnreadableFile, Pos::START, message, "check what it is and who may read it")
    };
    let read = directory.read(path, limit as u64, bytes);
    let FileRead { facts, is_read } =
        read.map_err(|error: io::Error| (Stamp::default(), unreadable(&error)))?;
    let seen = Stamp::of(&facts);
    match facts.kind {
        _ if is_read => Ok(seen),
        Kind::File => Err((seen, text::too_large(facts.size, limit))),
        _ => Err((seen, unreadable(&"it is no regular file"))),
    }
}

fn read_sidecar(directory: &SkillDirectory<'_>, names: &[Name], record: &mut Record) -> Option<Vec<u8>> {
    names.iter().find(|name| name.name == SIDECAR_DIRECTORY)?;
    let mut bytes = Vec::new();
    let FileRead { facts, is_read } =
        directory.open.read(Path::new(SIDECAR), MAX_SIDECAR_BYTES, &mut bytes).ok()?;
    record.beside.push((SIDECAR.to_owned(), Stamp::of(&facts)));
    is_read.then_some(bytes)
}

fn odd_name(file: &str) -> Option<Problem> {
    if file == SKILL_FILE {
        return None;
    }
    let message = format!("the file is named `{file}`; most readers look for `{SKILL_FILE}` only");
    Some(
        Problem::new(Code::OddFileName, Pos::START, message, format!("rename it to `{SKILL_FILE}`"))
            .in_file(file),
    )
}

fn script_problem(directory: &Directory, file: &str, skill: Option<&Skill>) -> Option<Problem> {
    let script = skill?.contract.as_ref()?.script.as_ref()?;
    let is_there = || directory.facts_of(Path::new(script)).is_ok_and(|facts| facts.kind == Kind::File);
    if script.contains('{') || is_there() {
        return None;
    }
    let message = format!("the script `{script}` is not in the skill's directory");
    Some(
        Problem::new(Code::ScriptMissing, Pos::START, message, "add the file, or correct `script:`")
            .in_file(file),
    )
}
