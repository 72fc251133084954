//! Results that were found before, by content and rules: one file in the cache directory, replaced as a whole.
//!
//! It is a cache: deleted, damaged or of other rules, it changes the time and not the answer.

use super::subject::Subject;
use super::tree::{self, Stamp};
use guild_manifest::Digest;
use guild_vet::{Code, Finding, Policy, RULES, Report, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Raised whenever the shape of a record changes.
const FORMAT: u16 = 1;
const MAGIC: &[u8; 8] = b"guildvet";
/// The largest file that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// So long after a change a second one may bear the same time.
const TICK: i64 = 20_000_000;

/// What was found in one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The content it was found in.
    pub digest: Digest,
    /// What the skill's files looked like from outside.
    pub stamps: Vec<Stamp>,
    findings: Vec<Kept>,
    /// What was left unread.
    pub partial: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    path: String,
    line: u32,
    code: String,
    evidence: String,
    message: String,
}

/// Everything that was found before.
#[derive(Debug, Default)]
pub struct Cache {
    file: Option<PathBuf>,
    /// When the file was written, in nanoseconds.
    written: i64,
    records: HashMap<String, Record>,
    is_changed: bool,
}

impl Record {
    /// What to keep of a report.
    pub fn of(report: &Report, stamps: Vec<Stamp>) -> Self {
        let kept = |finding: &Finding| Kept {
            path: finding.path.clone(),
            line: finding.line,
            code: finding.code.as_str().to_owned(),
            evidence: finding.evidence.clone(),
            message: finding.message.clone(),
        };
        let findings = report.findings.iter().map(kept).collect();
        Self { digest: report.digest, stamps, findings, partial: report.partial.clone() }
    }

    /// The same, for files that look otherwise from outside.
    pub fn restamped(&self, stamps: Vec<Stamp>) -> Self {
        Self { stamps, ..self.clone() }
    }

    /// The findings; a code that is gone takes its finding with it.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |kept: &Kept| {
            Some(Finding {
                path: kept.path.clone(),
                line: kept.line,
                code: Code::named(&kept.code)?,
                evidence: kept.evidence.clone(),
                message: kept.message.clone(),
            })
        };
        self.findings.iter().filter_map(finding).collect()
    }

    /// The verdict under a policy.
    pub fn verdict(&self, policy: &Policy) -> Verdict {
        policy.verdict(self.findings.iter().filter_map(|kept| Code::named(&kept.code)), self.digest)
    }
}

impl Cache {
    /// Reads the cache; an empty one where there is none that counts.
    pub fn open(directory: Option<&Path>) -> Self {
        let file = directory.map(|directory| directory.join("vet/results"));
        let read = file.as_deref().and_then(load);
        let (written, records) = read.unwrap_or_default();
        Self { file, written, records, is_changed: false }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What was found in a skill whose files are as they were, without reading any of them.
    pub fn current(&self, subject: &Subject<'_>) -> Option<&Record> {
        let record = self.records.get(&subject.key())?;
        let settled = record.stamps.iter().all(|stamp| stamp.changed.saturating_add(TICK) < self.written);
        let directory = subject.directory();
        let is_current = settled
            && !record.stamps.is_empty()
            && record.stamps.iter().all(|stamp| tree::is_current(directory, stamp));
        is_current.then_some(record)
    }

    /// What was found in a content, wherever it was.
    pub fn of_digest(&self, subject: &Subject<'_>, digest: Digest) -> Option<&Record> {
        self.records.get(&subject.key()).filter(|record| record.digest == digest)
    }

    /// Remembers what was found.
    pub fn keep(&mut self, subject: &Subject<'_>, record: Record) {
        let known = self.records.insert(subject.key(), record.clone());
        self.is_changed |= known.as_ref() != Some(&record);
    }

    /// Writes the cache where something changed; a failure costs time later and nothing else.
    pub fn save(mut self) -> io::Result<()> {
        let Some(file) = self.file.take().filter(|_| self.is_changed) else { return Ok(()) };
        self.records.retain(|place, _| Path::new(place).exists());
        let directory = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory)?;
        let body = postcard::to_stdvec(&self.records).map_err(io::Error::other)?;
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(&head())?;
        temporary.write_all(&body)?;
        temporary.write_all(Digest::of(&body).as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(&file)?;
        Ok(())
    }
}

/// The mark of the format and of the rules that the results were found with.
fn head() -> Vec<u8> {
    let numbers = [FORMAT, RULES.major, RULES.minor].map(u16::to_le_bytes).concat();
    [MAGIC.as_slice(), &numbers].concat()
}

fn load(file: &Path) -> Option<(i64, HashMap<String, Record>)> {
    let metadata =
        fs::metadata(file).ok().filter(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES)?;
    let bytes = fs::read(file).ok()?;
    let rest = bytes.strip_prefix(head().as_slice())?;
    let (body, digest) = rest.split_at_checked(rest.len().checked_sub(32)?)?;
    if Digest::of(body).as_bytes() != digest {
        return None;
    }
    let written = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let written = i64::try_from(written.as_nanos()).ok()?;
    Some((written, postcard::from_bytes(body).ok()?))
}
