//! Results that were found before, by content and rules: one file in the cache directory, replaced as a whole.
//!
//! It is a cache: deleted, damaged or of other rules, it changes the time and not the answer.

use super::part::Part;
use super::subject::Subject;
use super::tree::{self, Stamp};
use guild_catalog::bundled;
use guild_manifest::Digest;
use guild_vet::{Code, Finding, Policy, RULES, Report, Tier, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Raised whenever the shape of a record changes.
const FORMAT: u16 = 2;
const MAGIC: &[u8; 8] = b"guildvet";
/// The largest file that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// So long after a change a second one may bear the same time.
const TICK: i64 = 20_000_000;

/// What was found in one skill, or in a whole plugin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The content it was found in.
    pub digest: Digest,
    /// What the files looked like from outside.
    pub stamps: Vec<Stamp>,
    parts: Vec<KeptPart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptPart {
    main: String,
    is_skill: bool,
    findings: Vec<Kept>,
    partial: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    path: String,
    line: u32,
    code: String,
    evidence: String,
    message: String,
}

/// Records by the place that they are about.
type Records = HashMap<String, Arc<Record>>;

/// What a process keeps of the file, for as long as that is the one that it read.
#[derive(Debug, Clone)]
pub struct Remembered {
    file: PathBuf,
    version: Version,
    records: Arc<Records>,
}

/// What tells one state of the file from another: when it was written, in nanoseconds, and its length.
type Version = (i64, u64);

/// Everything that was found before.
#[derive(Debug, Default)]
pub struct Cache {
    file: Option<PathBuf>,
    /// When the file was written, in nanoseconds.
    written: i64,
    records: Arc<Records>,
    /// Whether the records that were asked for hold, so that a plugin is not looked through once for each of its skills.
    asked: Mutex<HashMap<String, bool>>,
    is_changed: bool,
}

impl Record {
    /// What to keep of the reports on parts.
    pub fn of(digest: Digest, found: Vec<(&Part<'_>, Report)>, stamps: Vec<Stamp>) -> Self {
        let parts = found.into_iter().map(|(part, report)| KeptPart {
            main: part.main.clone(),
            is_skill: part.is_skill,
            findings: report.findings.into_iter().map(Kept::of).collect(),
            partial: report.partial,
        });
        Self { digest, stamps, parts: parts.collect() }
    }

    /// The same, for files that look otherwise from outside.
    pub fn restamped(&self, stamps: Vec<Stamp>) -> Self {
        Self { stamps, ..self.clone() }
    }

    /// The content that a skill's warnings are bound to: no two skills of a plugin share it.
    pub fn digest_of(&self, subject: &Subject<'_>) -> Digest {
        match subject.plugin {
            Some(_) => Digest::of_parts([subject.main().as_bytes(), self.digest.as_bytes().as_slice()]),
            None => self.digest,
        }
    }

    /// What counts for a skill; a code that is gone takes its finding with it.
    ///
    /// That is all that was found in the skill itself and in what its plugin's skills share, and of the other skills what denies
    /// or is unread: their files are mounted too, but they answer for their own warnings.
    pub fn findings_of(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let main = subject.main();
        let own = self.parts.iter().flat_map(|part| {
            let is_own = part.main == main || !part.is_skill;
            part.findings
                .iter()
                .filter_map(Kept::finding)
                .filter(move |finding| is_own || binds_all(finding.code))
        });
        let mut findings: Vec<Finding> = own.collect();
        findings.sort();
        findings
    }

    /// What was left unread, wherever it is.
    pub fn partial(&self) -> Vec<String> {
        self.parts.iter().flat_map(|part| part.partial.iter().cloned()).collect()
    }

    /// The verdict on a skill under a policy.
    pub fn verdict(&self, subject: &Subject<'_>, policy: &Policy) -> Verdict {
        let codes = self.findings_of(subject).into_iter().map(|finding| finding.code);
        policy.verdict(codes, self.digest_of(subject))
    }
}

/// Whether what is found in one skill counts for all that are mounted with it.
fn binds_all(code: Code) -> bool {
    code.tier() == Tier::Deny || code == Code::Partial
}

impl Kept {
    fn of(finding: Finding) -> Self {
        let Finding { path, line, code, evidence, message } = finding;
        Self { path, line, code: code.as_str().to_owned(), evidence, message }
    }

    fn finding(&self) -> Option<Finding> {
        let Self { path, line, code, evidence, message } = self.clone();
        Some(Finding { path, line, code: Code::named(&code)?, evidence, message })
    }
}

impl Cache {
    /// Reads the cache; an empty one where there is none that counts. Where `memory` has it as it is, it is not read.
    pub fn open(directory: Option<&Path>, memory: Option<&Mutex<Option<Remembered>>>) -> Self {
        let Some(file) = directory.map(|directory| directory.join("vet/results")) else {
            return Self::default();
        };
        let read = match memory {
            Some(memory) => {
                let mut kept = memory.lock().unwrap_or_else(PoisonError::into_inner);
                *kept = remembered(&file, kept.take());
                kept.clone()
            }
            None => remembered(&file, None),
        };
        let (written, records) = read.map(|read| (read.version.0, read.records)).unwrap_or_default();
        Self { file: Some(file), written, records, ..Self::default() }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What was found in what is as it was, without reading any file of it.
    pub fn current(&self, subject: &Subject<'_>) -> Option<&Arc<Record>> {
        let key = subject.key();
        let record = self.records.get(&key)?;
        if let Some(holds) = self.asked.lock().ok().and_then(|asked| asked.get(&key).copied()) {
            return holds.then_some(record);
        }
        let settled = record.stamps.iter().all(|stamp| stamp.changed.saturating_add(TICK) < self.written);
        let root = subject.root();
        let holds = settled
            && !record.stamps.is_empty()
            && record.stamps.iter().all(|stamp| tree::is_current(root, stamp));
        if let Ok(mut asked) = self.asked.lock() {
            asked.insert(key, holds);
        }
        holds.then_some(record)
    }

    /// What was found in a content, wherever it was.
    pub fn of_digest(&self, subject: &Subject<'_>, digest: Digest) -> Option<&Arc<Record>> {
        self.records.get(&subject.key()).filter(|record| record.digest == digest)
    }

    /// Remembers what was found; as long as this cache is open it is not looked for again.
    pub fn keep(&mut self, subject: &Subject<'_>, record: Arc<Record>) {
        let key = subject.key();
        if let Ok(mut asked) = self.asked.lock() {
            asked.insert(key.clone(), true);
        }
        self.is_changed |= self.records.get(&key) != Some(&record);
        Arc::make_mut(&mut self.records).insert(key, record);
    }

    /// Writes the cache where something changed; a failure costs time later and nothing else.
    pub fn save(mut self) -> io::Result<()> {
        let Some(file) = self.file.take().filter(|_| self.is_changed) else { return Ok(()) };
        let records: HashMap<&str, &Record> = self
            .records
            .iter()
            .filter(|(place, _)| is_there(Path::new(place)))
            .map(|(place, record)| (place.as_str(), record.as_ref()))
            .collect();
        let directory = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory)?;
        let body = postcard::to_stdvec(&records).map_err(io::Error::other)?;
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(&head())?;
        temporary.write_all(&body)?;
        temporary.write_all(Digest::of(&body).as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(&file)?;
        Ok(())
    }
}

/// Whether what a record is about is there still; what is compiled in always is.
fn is_there(place: &Path) -> bool {
    place.starts_with(bundled::DIRECTORY) || place.exists()
}

/// The mark of the format and of the rules that the results were found with.
fn head() -> Vec<u8> {
    let numbers = [FORMAT, RULES.major, RULES.minor].map(u16::to_le_bytes).concat();
    [MAGIC.as_slice(), &numbers].concat()
}

/// The file as it is now: as it was read before, or read.
fn remembered(file: &Path, before: Option<Remembered>) -> Option<Remembered> {
    let version = version(file)?;
    if let Some(before) = before.filter(|before| before.version == version && before.file == file) {
        return Some(before);
    }
    let records = load(file)?.into_iter().map(|(place, record)| (place, Arc::new(record))).collect();
    Some(Remembered { file: file.to_owned(), version, records: Arc::new(records) })
}

/// Which state of the file this is; none where it cannot count.
fn version(file: &Path) -> Option<Version> {
    let metadata =
        fs::metadata(file).ok().filter(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES)?;
    let written = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some((i64::try_from(written.as_nanos()).ok()?, metadata.len()))
}

fn load(file: &Path) -> Option<HashMap<String, Record>> {
    let bytes = fs::read(file).ok()?;
    let rest = bytes.strip_prefix(head().as_slice())?;
    let (body, digest) = rest.split_at_checked(rest.len().checked_sub(32)?)?;
    if Digest::of(body).as_bytes() != digest {
        return None;
    }
    postcard::from_bytes(body).ok()
}
