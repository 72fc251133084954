//! The gate: what every operation asks before a skill reaches a model, an approval or a disk.
//!
//! It looks lazily and remembers by content. A person's policy weighs what was found; nothing in a skill does.

use super::cache::{Cache, Record};
use super::policy::policy;
use super::subject::Subject;
use super::tree::{self, Node};
use crate::hall::Hall;
use crate::reply::{FindingLine, Vetted};
use guild_catalog::{Entry, bundled, validate};
use guild_manifest::skill::{self, Contract, Profile, Source};
use guild_manifest::{Code as ProblemCode, Problem, Severity};
use guild_vet::{Code, Input, Policy, Remark, Report, Tier, Verdict};

/// The gate of one hall.
#[derive(Debug)]
pub struct Gate {
    policy: Policy,
    cache: Cache,
}

/// What a look at a skill brought.
pub(super) struct Looked {
    record: Record,
    /// Whether the record is worth remembering.
    is_news: bool,
}

/// The part of a gate that many threads use at once.
pub(super) struct Reader<'a> {
    cache: &'a Cache,
}

impl Gate {
    /// Opens the gate of a hall, with what is remembered.
    pub fn open(hall: &Hall) -> Self {
        let policy = Policy { suppressed: hall.allowed.clone(), ..policy(&hall.config) };
        Self { policy, cache: Cache::open(hall.machine.cache.as_deref()) }
    }

    /// Remembers what was found; that this fails is no reason to fail.
    pub fn close(self) {
        self.cache.save().ok();
    }

    /// The verdict on a skill if it is known and the skill is as it was; nothing is read for it.
    pub fn remembered(&self, entry: &Entry) -> Option<Verdict> {
        if self.cache.is_empty() {
            return None;
        }
        Some(self.cache.current(&Subject::of_entry(entry))?.verdict(&self.policy))
    }

    /// Looks at a skill and says what was found.
    pub fn vet(&mut self, subject: &Subject<'_>) -> Vetted {
        let looked = self.reader().look(subject);
        self.keep(subject, looked)
    }

    /// The entries that are not denied, and the names of those that are.
    pub fn admit<'e>(&mut self, entries: Vec<&'e Entry>) -> (Vec<&'e Entry>, Vec<String>) {
        let subjects: Vec<Subject<'_>> = entries.iter().map(|entry| Subject::of_entry(entry)).collect();
        let vetted = super::all(self, &subjects, &|_, _| {});
        let (denied, admitted): (Vec<_>, Vec<_>) =
            entries.into_iter().zip(vetted).partition(|(_, vetted)| vetted.verdict == Verdict::Deny.as_str());
        let denied = denied.into_iter().map(|(_, vetted)| vetted.name);
        (admitted.into_iter().map(|(entry, _)| entry).collect(), denied.collect())
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { cache: &self.cache }
    }

    pub(super) fn keep(&mut self, subject: &Subject<'_>, looked: Looked) -> Vetted {
        let vetted = vetted(subject, &looked.record, &self.policy);
        if looked.is_news {
            self.cache.keep(subject, looked.record);
        }
        vetted
    }
}

impl Reader<'_> {
    /// Looks at a skill, unless it is as it was.
    pub fn look(&self, subject: &Subject<'_>) -> Looked {
        if let Some(record) = self.cache.current(subject) {
            return Looked { record: record.clone(), is_news: false };
        }
        // Stamps are taken before the bytes: a change in between makes them differ the next time.
        let stamps = if subject.is_builtin() { None } else { tree::stamps(subject) };
        let nodes = nodes(subject);
        let files: Vec<_> = nodes.iter().map(Node::file).collect();
        let main = subject.file();
        let text = nodes.iter().find_map(|node| node.bytes_of(&main)).unwrap_or_default();
        let contract = contract(subject, &main, text);
        let remarks = remarks(&main, text);
        let input = Input {
            name: &subject.name,
            main: &main,
            files: &files,
            contract: contract.as_ref(),
            remarks: &remarks,
        };
        let is_news = stamps.is_some();
        let stamps = stamps.unwrap_or_default();
        let record = match self.cache.of_digest(subject, input.digest()) {
            Some(record) => record.restamped(stamps),
            None => Record::of(&guild_vet::vet(&input), stamps),
        };
        Looked { record, is_news }
    }
}

/// Why a draft may not be written, before it is: the findings that deny it.
pub fn denied_draft(name: &str, file: &str, bytes: &[u8], policy: &Policy) -> Vec<FindingLine> {
    let node = Node::of_bytes(file, bytes.to_vec());
    let reading = skill::read(&Source::new(file, name, bytes), Profile::Lenient);
    let contract = reading.skill.and_then(|skill| skill.contract);
    let input =
        Input { name, main: file, files: &[node.file()], contract: contract.as_deref(), remarks: &[] };
    let report = guild_vet::vet(&input);
    let is_denied = |code: Code| policy.weigh(code, report.digest) == Some(Tier::Deny);
    let denied = report.findings.iter().filter(|finding| is_denied(finding.code));
    denied.map(|finding| FindingLine::of(finding, Tier::Deny)).collect()
}

/// What scripts of a skill need, seen anew.
pub(crate) fn report(subject: &Subject<'_>) -> Report {
    let nodes = nodes(subject);
    let files: Vec<_> = nodes.iter().map(Node::file).collect();
    let main = subject.file();
    let text = nodes.iter().find_map(|node| node.bytes_of(&main)).unwrap_or_default();
    let contract = contract(subject, &main, text).unwrap_or_default();
    guild_vet::vet(&Input {
        name: &subject.name,
        main: &main,
        files: &files,
        contract: Some(&contract),
        remarks: &[],
    })
}

fn nodes(subject: &Subject<'_>) -> Vec<Node> {
    match subject.entry.and_then(|entry| bundled::files(&entry.place)) {
        Some(files) => files.iter().map(|file| Node::of_bytes(file.path, file.bytes.to_vec())).collect(),
        None => tree::read(subject),
    }
}

/// What the skill declares, from the snapshot or read anew.
fn contract(subject: &Subject<'_>, main: &str, text: &[u8]) -> Option<Contract> {
    if let Some(entry) = subject.entry {
        return entry.skill.contract.as_deref().cloned();
    }
    let reading = skill::read(&Source::new(main, &subject.name, text), Profile::Lenient);
    reading.skill.and_then(|skill| skill.contract).map(|contract| *contract)
}

/// What the checks of playbooks have to say: structure, and tools that nobody knows.
fn remarks(main: &str, text: &[u8]) -> Vec<Remark> {
    let text = String::from_utf8_lossy(text);
    let remark = |problem: Problem| {
        let code = if problem.code == ProblemCode::UnknownTool { Code::UnknownTool } else { Code::Structure };
        Remark { code, path: main.to_owned(), line: problem.at.line, message: problem.message }
    };
    let problems = validate::validate(&text, &[]).into_iter();
    problems.filter(|problem| problem.severity <= Severity::Error).map(remark).collect()
}

fn vetted(subject: &Subject<'_>, record: &Record, policy: &Policy) -> Vetted {
    let line = |finding: guild_vet::Finding| {
        policy.weigh(finding.code, record.digest).map(|tier| FindingLine::of(&finding, tier))
    };
    let found = record.findings();
    let found_count = found.len();
    let findings: Vec<FindingLine> = found.into_iter().filter_map(line).collect();
    Vetted {
        name: subject.name.clone(),
        path: subject.path.to_string_lossy().into_owned(),
        verdict: record.verdict(policy).as_str(),
        digest: record.digest.to_string(),
        allowed: found_count - findings.len(),
        findings,
        partial: record.partial.clone(),
    }
}
