//! What holds after somebody was killed, whatever the moment.

use super::world::{World, envelope_of};
use guild_engine::ledger::Filter;
use guild_engine::ledger::receipt::{Kind, Parameter, Receipt};
use std::fs;
use std::path::{Path, PathBuf};

/// What a command had said before it was killed.
pub struct Said {
    /// Its process.
    pub process: u32,
    /// The skill that it was about.
    pub skill: &'static str,
    /// That the run had started.
    pub started: bool,
    /// The grant that it gave.
    pub grant: Option<String>,
    /// The receipt that it wrote.
    pub receipt: Option<String>,
}

impl Said {
    /// Nothing yet.
    pub fn by(process: u32, skill: &'static str) -> Self {
        Self { process, skill, started: false, grant: None, receipt: None }
    }
}

impl World {
    /// Looks at everything that must hold after a command about run `number` was killed.
    #[track_caller]
    pub fn survey(&mut self, number: u64, said: &Said) {
        self.orphans.wait_for_their_end();
        assert!(self.witness.sees_nobody(), "a process of the container still lives");
        let happened = self.happened(number);
        // Whoever comes next may use what was granted and not used; after that nobody may.
        let codes = [self.attempt(said.skill, number), self.attempt(said.skill, number)];
        let survived = codes[0] == "ok";
        assert!(survived || codes[0] == "approval_required", "{codes:?}");
        assert_eq!(codes[1], "approval_required", "a grant for one run was used twice");
        let runs = self.happened(number);
        assert!(runs <= 1, "it ran {runs} times");
        assert!(!(survived && happened > 0), "it ran, and its grant was still there");
        self.check_books(number, said, survived);
        self.check_residue(said);
    }

    /// How often the script of a run has been executed, by its own word.
    fn happened(&mut self, number: u64) -> usize {
        self.witness.lines().iter().filter(|line| **line == number.to_string()).count()
    }

    /// Tries a run that nobody approves now.
    fn attempt(&self, skill: &str, number: u64) -> String {
        let output = self.run(skill, number, &["--json"]).output();
        let envelope = envelope_of(&output);
        assert!(envelope.is_some(), "{output}");
        envelope.unwrap()["code"].as_str().unwrap().to_owned()
    }

    fn check_books(&mut self, number: u64, said: &Said, survived: bool) {
        let verified = envelope_of(&self.desk.env.guild(&["receipts", "verify", "--json"])).unwrap();
        assert_eq!(verified["data"]["verified"], true, "{verified}");
        let receipts = self.receipts();
        let of_run: Vec<&Receipt> = receipts.iter().filter(|receipt| is_about(receipt, number)).collect();
        let count = |kind: Kind| of_run.iter().filter(|receipt| receipt.entry.kind == kind).count();
        let started = count(Kind::Started);
        assert!(started <= 1, "it started {started} times");
        let ends: Vec<&Receipt> = receipts.iter().filter(|receipt| ends_one_of(receipt, &of_run)).collect();
        assert_eq!(ends.len(), started, "what started has ended once, as finished or as interrupted");
        if said.started || said.grant.is_some() || survived {
            assert_eq!(started, 1, "what was said to be granted or started is not there");
        }
        assert!(!(said.started && survived), "it was said to run, and its grant was still there");
        if let Some(id) = &said.receipt {
            assert!(receipts.iter().any(|receipt| receipt.id.to_string() == *id), "{id} was acknowledged");
        }
        if let Some(grant) = &said.grant {
            let begun = |receipt: &Receipt| receipt.begins.as_ref().is_some_and(|begun| begun.id == *grant);
            assert!(receipts.iter().any(begun), "{grant} was acknowledged");
            assert!(
                of_run.iter().any(|receipt| receipt.ends.as_ref() == Some(grant)),
                "{grant} was not used"
            );
        }
        self.tally[if survived { 1 } else { started * 2 }] += 1;
    }

    /// The newest receipts, more than one round can leave.
    fn receipts(&self) -> Vec<Receipt> {
        self.desk.books(async |books| {
            assert_eq!(books.ledger.unfinished().await.unwrap(), []);
            let page = books.ledger.receipts(&Filter::default(), None, 100).await.unwrap();
            page.receipts.into_iter().map(|signed| signed.receipt).collect()
        })
    }

    /// That nothing is left of a killed process once another run has come to its end.
    fn check_residue(&self, said: &Said) {
        let next = self.run(said.skill, u64::from(said.process) << 32, &["--approve", "once"]).output();
        assert_eq!(next.code(), Some(0), "{next}");
        let home = self.desk.env.home().join(".local");
        for place in ["state/guild/runs", "state/guild/scratch", "share/guild/store/tmp"] {
            assert_eq!(names(&home.join(place)), Vec::<String>::new(), "{place}");
        }
        assert_eq!(names(&self.desk.env.join("tmp")), Vec::<String>::new());
        let sets = home.join("state/guild/changes");
        for set in names(&sets).iter().filter(|name| name.starts_with("chg_")) {
            assert!(sets.join(set).join("set.json").exists(), "{set} is a layer that nobody holds");
        }
        assert_eq!(cgroups_of(said.process), Vec::<PathBuf>::new());
        let root = self.desk.env.root().to_string_lossy().into_owned();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(&root), "a mount of the container is left");
    }
}

/// Whether a receipt is about the run with this parameter.
fn is_about(receipt: &Receipt, number: u64) -> bool {
    let parameter = receipt.entry.plan.as_ref().and_then(|plan| plan.parameters.get("n"));
    matches!(parameter, Some(Parameter::Value(value)) if value.as_str() == Some(&*number.to_string()))
}

/// Whether a receipt is the end of a run that one of these has started.
fn ends_one_of(receipt: &Receipt, begun: &[&Receipt]) -> bool {
    let is_end = matches!(receipt.entry.kind, Kind::Finished | Kind::Interrupted);
    let is_same =
        |start: &&&Receipt| start.entry.kind == Kind::Started && start.entry.run == receipt.entry.run;
    is_end && begun.iter().any(|start| is_same(&start))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// The cgroups that a process had made for its containers.
fn cgroups_of(process: u32) -> Vec<PathBuf> {
    let name = format!("guild-{process}-");
    let (mut found, mut left) = (Vec::new(), vec![PathBuf::from("/sys/fs/cgroup")]);
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name().to_string_lossy().starts_with(&name) {
                    found.push(entry.path());
                }
                left.push(entry.path());
            }
        }
    }
    found
}
