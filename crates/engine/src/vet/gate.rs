//! The gate: what every operation asks before a skill reaches a model, an approval or a disk.
//!
//! It looks lazily and remembers by content. A person's policy weighs what was found; nothing in a skill does.

use super::cache::{Cache, Record};
use super::part::Part;
use super::policy::policy;
use super::subject::Subject;
use super::tree::{self, Node, Stamp};
use crate::hall::Hall;
use crate::reply::{FindingLine, Vetted};
use guild_catalog::{Entry, bundled};
use guild_manifest::Digest;
use guild_manifest::skill::{self, Profile, Source};
use guild_vet::{Code, Input, Policy, Report, Tier, Verdict};
use std::sync::Arc;

/// The gate of one hall.
#[derive(Debug, Default)]
pub struct Gate {
    policy: Policy,
    cache: Cache,
}

/// What a look at a skill, or at its whole plugin, brought.
pub(super) struct Looked {
    record: Arc<Record>,
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
        let memory = hall.memory.as_deref().map(|memory| &memory.vetted);
        Self { policy, cache: Cache::open(hall.machine.cache.as_deref(), memory) }
    }

    /// Remembers what was found; that this fails is no reason to fail.
    pub fn close(self) {
        self.cache.save().ok();
    }

    /// The verdict on a skill if it is known and the skill is as it was; nothing is read for it.
    pub fn remembered(&self, hall: &Hall, entry: &Entry) -> Option<Verdict> {
        if self.cache.is_empty() {
            return None;
        }
        let subject = Subject::of_entry(&hall.snapshot, entry);
        Some(self.cache.current(&subject)?.verdict(&subject, &self.policy))
    }

    /// Looks at a skill and says what was found.
    pub fn vet(&mut self, subject: &Subject<'_>) -> Vetted {
        let looked = self.reader().look(subject);
        let vetted = self.weigh(subject, &looked);
        self.keep(subject, looked);
        vetted
    }

    /// The entries that are not denied, and the names of those that are.
    pub fn admit<'e>(&mut self, hall: &Hall, entries: Vec<&'e Entry>) -> (Vec<&'e Entry>, Vec<String>) {
        let subject = |entry: &&'e Entry| Subject::of_entry(&hall.snapshot, entry);
        let subjects: Vec<Subject<'_>> = entries.iter().map(subject).collect();
        let verdicts = super::each(self, &subjects, &|_, _| {}, |gate, subject, looked| {
            looked.record.verdict(subject, &gate.policy)
        });
        let (denied, admitted): (Vec<_>, Vec<_>) =
            entries.into_iter().zip(verdicts).partition(|(_, verdict)| *verdict == Verdict::Deny);
        let denied = denied.into_iter().map(|(entry, _)| entry.qualified_name().into_owned());
        (admitted.into_iter().map(|(entry, _)| entry).collect(), denied.collect())
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { cache: &self.cache }
    }

    /// What a look at its whole says of a skill.
    pub(super) fn weigh(&self, subject: &Subject<'_>, looked: &Looked) -> Vetted {
        vetted(subject, &looked.record, &self.policy)
    }

    pub(super) fn keep(&mut self, subject: &Subject<'_>, looked: Looked) {
        if looked.is_news {
            self.cache.keep(subject, looked.record);
        }
    }
}

impl Reader<'_> {
    /// Looks at a skill, or at the whole plugin that ships it, unless it is as it was.
    pub fn look(&self, subject: &Subject<'_>) -> Looked {
        // What lies in no place is not looked for there; it is looked at again once it is installed.
        if subject.kept.is_some() {
            return Looked { record: Arc::new(self.found(subject, Vec::new())), is_news: false };
        }
        if let Some(record) = self.cache.current(subject) {
            return Looked { record: Arc::clone(record), is_news: false };
        }
        if subject.is_builtin() {
            return self.look_at_builtin(subject);
        }
        // Stamps are taken before the bytes: a change in between makes them differ the next time.
        let stamps = tree::stamps(subject).unwrap_or_default();
        Looked { record: Arc::new(self.found(subject, stamps)), is_news: true }
    }

    /// What is compiled in looks like nothing from outside: it is known by its content alone.
    fn look_at_builtin(&self, subject: &Subject<'_>) -> Looked {
        let record = self.found(subject, Vec::new());
        let is_news = self.cache.of_digest(subject, record.digest).is_none();
        Looked { record: Arc::new(record), is_news }
    }

    /// Reads everything of a subject, and finds out what is in it.
    fn found(&self, subject: &Subject<'_>, stamps: Vec<Stamp>) -> Record {
        let nodes = nodes(subject);
        let parts = Part::all_of(subject, &nodes);
        let inputs: Vec<Input<'_>> = parts.iter().map(Part::input).collect();
        // What lies in no place is remembered nowhere.
        let asked = subject.kept.is_none().then(|| digest(inputs.iter().map(Input::digest)));
        if let Some(record) = asked.and_then(|digest| self.cache.of_digest(subject, digest)) {
            return record.restamped(stamps);
        }
        let reports = guild_vet::vet_together(&inputs);
        let digest = digest(reports.iter().map(|report| report.digest));
        Record::of(digest, parts.iter().zip(reports).collect(), stamps)
    }
}

/// The digest of everything, of those of its parts; that of a skill alone is its own.
fn digest(parts: impl Iterator<Item = Digest>) -> Digest {
    let digests: Vec<Digest> = parts.collect();
    match digests.as_slice() {
        [digest] => *digest,
        digests => Digest::of_parts(digests.iter().map(|digest| digest.as_bytes().as_slice())),
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

/// What scripts of a skill need, seen anew, whatever its plugin's other files do.
pub(crate) fn report(subject: Subject<'_>) -> Report {
    let subject = subject.alone();
    let nodes = nodes(&subject);
    let skill = Part::of_skill(&subject, &nodes);
    let input = skill.input();
    let contract = input.contract.cloned().unwrap_or_default();
    guild_vet::vet(&Input { contract: Some(&contract), remarks: &[], ..input })
}

fn nodes(subject: &Subject<'_>) -> Vec<Node> {
    let files = subject.entry.and_then(|entry| match &entry.place.plugin {
        Some(name) if subject.plugin.is_some() && subject.is_builtin() => {
            bundled::plugin(name).map(<[_]>::to_vec)
        }
        _ => bundled::files(&entry.place),
    });
    match files {
        Some(files) => files.iter().map(|file| Node::of_bytes(file.path, file.bytes.to_vec())).collect(),
        None => tree::read(subject),
    }
}

fn vetted(subject: &Subject<'_>, record: &Record, policy: &Policy) -> Vetted {
    let digest = record.digest_of(subject);
    let line = |finding: guild_vet::Finding| {
        policy.weigh(finding.code, digest).map(|tier| FindingLine::of(&finding, tier))
    };
    let found = record.findings_of(subject);
    let found_count = found.len();
    let findings: Vec<FindingLine> = found.into_iter().filter_map(line).collect();
    Vetted {
        name: subject.name.clone(),
        path: subject.path.to_string_lossy().into_owned(),
        root: subject.root().to_string_lossy().into_owned(),
        verdict: record.verdict(subject, policy).as_str(),
        digest: digest.to_string(),
        allowed: found_count - findings.len(),
        findings,
        partial: record.partial(),
    }
}
