//! Reading one skill: its file, what stands beside it, and what it depends on.

use super::skill_files::{self, Name};
use crate::index::{Record, Stamp};
use guild_manifest::config::Config;
use guild_manifest::skill::{self, Profile, Source};
use guild_manifest::{Code, Digest, Pos, Problem, text};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

const SKILL_FILE: &str = "SKILL.md";
/// Names that people give the file by mistake.
const ODD_NAMES: &[&str] = &["skill.md", "skills.md"];
const SIDECAR: &str = "agents/openai.yaml";

/// How a skill is read.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// How many bytes its file may have.
    pub limit: usize,
    /// How strictly it is judged.
    pub profile: Profile,
}

impl Manner {
    /// The manner of discovery: within the configured limit, loading what can be loaded.
    pub fn lenient(config: &Config) -> Self {
        let limit = usize::try_from(config.limits.max_file_bytes).unwrap_or(usize::MAX);
        Self { limit, profile: Profile::Lenient }
    }
}

/// What a directory is.
pub enum Found {
    /// A skill; the record's path is left to the caller.
    Skill(Box<Record>),
    /// No skill, but perhaps a group of them.
    Group(Vec<Name>),
}

/// Whether a file of that name makes its directory a skill.
pub fn is_skill_file(name: &OsStr) -> bool {
    name == SKILL_FILE || ODD_NAMES.iter().any(|odd| name.eq_ignore_ascii_case(odd))
}

/// Reads a directory that may be a skill.
pub fn read_directory(directory: &Path, manner: Manner) -> Found {
    let Ok(names) = skill_files::names(directory) else { return Found::Group(Vec::new()) };
    let exact = names.iter().find(|name| name.name == SKILL_FILE);
    let odd = || names.iter().find(|name| is_skill_file(&name.name));
    let Some(file) = exact.or_else(odd).filter(|name| !name.kind.is_dir()) else { return Found::Group(names) };
    let file = file.name.to_string_lossy().into_owned();
    let stem = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let files = skill_files::survey(directory, &names);
    let has_sidecar = names.iter().any(|name| name.name == "agents");
    let sidecar = if has_sidecar { fs::read(directory.join(SIDECAR)).ok() } else { None };
    let mut record = read_file(&directory.join(&file), &file, &stem, sidecar.as_deref(), manner);
    if file != SKILL_FILE {
        let message = format!("the file is named `{file}`; most readers look for `{SKILL_FILE}` only");
        let problem = Problem::new(Code::OddFileName, Pos::START, message, format!("rename it to `{SKILL_FILE}`"));
        record.problems.push(problem.in_file(&file));
    }
    if has_sidecar {
        record.stamps.extend(fs::metadata(directory.join(SIDECAR)).ok().map(|m| Stamp::new(SIDECAR, &m)));
    }
    record.stamps.extend(files.stamps);
    record.problems.extend(files.problems);
    record.problems.extend(script_problem(directory, &file, record.skill.as_ref()));
    if record.problems.iter().any(Problem::excludes) {
        record.skill = None;
    }
    Found::Skill(Box::new(record))
}

/// Reads a flat `<name>.md`; `None` where it is no skill, as most Markdown files are not.
pub fn read_flat(path: &Path, manner: Manner) -> Option<Record> {
    let record = read_single(path, manner)?;
    let is_prose = |problem: &Problem| {
        matches!(problem.code, Code::MissingFrontmatter | Code::BinaryFile | Code::UnreadableFile | Code::FileTooLarge)
    };
    let says_nothing = record.skill.as_ref().is_some_and(|skill| {
        skill.description.is_empty() && record.problems.iter().any(|problem| problem.code == Code::NameMissing)
    });
    (!record.problems.iter().any(is_prose) && !says_nothing).then_some(record)
}

/// Reads a file as a skill, whatever it is.
pub fn read_single(path: &Path, manner: Manner) -> Option<Record> {
    let file = path.file_name()?.to_string_lossy().into_owned();
    let stem = path.file_stem()?.to_string_lossy().into_owned();
    Some(read_file(path, &file, &stem, None, manner))
}

fn read_file(path: &Path, file: &str, stem: &str, sidecar: Option<&[u8]>, manner: Manner) -> Record {
    let mut record = Record {
        path: String::new(),
        file: file.to_owned(),
        stamps: Vec::new(),
        digest: Digest::of(b""),
        skill: None,
        problems: Vec::new(),
    };
    match bytes_of(path, file, manner.limit, &mut record.stamps) {
        Ok(bytes) => {
            record.digest = Digest::of(&bytes);
            let source = Source { file, stem, bytes: &bytes, sidecar, max_bytes: manner.limit };
            let reading = skill::read(&source, manner.profile);
            record.skill = reading.skill;
            record.problems = reading.problems;
        }
        Err(problem) => record.problems.push(problem.in_file(file)),
    }
    record
}

/// The bytes of a regular file within the limit; a pipe or device is never opened.
fn bytes_of(path: &Path, file: &str, limit: usize, stamps: &mut Vec<Stamp>) -> Result<Vec<u8>, Problem> {
    let unreadable = |error: &io::Error| {
        let message = format!("the file cannot be read: {error}");
        Problem::new(Code::UnreadableFile, Pos::START, message, "check what it is and who may read it")
    };
    let metadata = fs::metadata(path).map_err(|error| unreadable(&error))?;
    stamps.push(Stamp::new(file, &metadata));
    if !metadata.is_file() {
        return Err(unreadable(&io::Error::other("it is no regular file")));
    }
    if metadata.len() > limit as u64 {
        return Err(text::too_large(metadata.len(), limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    Ok(bytes)
}

fn script_problem(directory: &Path, file: &str, skill: Option<&skill::Skill>) -> Option<Problem> {
    let script = skill?.contract.as_ref()?.script.as_ref()?;
    if script.contains('{') || directory.join(script).is_file() {
        return None;
    }
    let message = format!("the script `{script}` is not in the skill's directory");
    Some(Problem::new(Code::ScriptMissing, Pos::START, message, "add the file, or correct `script:`").in_file(file))
}
