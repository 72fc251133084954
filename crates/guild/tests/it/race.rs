//! A skill whose directory is rewritten all the time while it is approved and run: what ran is what was approved.
//!
//! Nobody can read a directory in one moment, so that a mixture of two states may be staged. Then the mixture is what is hashed,
//! shown, approved and run, to the byte and to the bit of a mode.

use crate::desk::Desk;
use crate::envelope;
use guild_engine::ledger::Filter;
use guild_engine::ledger::receipt::{Kind, Receipt};
use guild_engine::manifest::Digest;
use guild_testkit::rounds;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const SKILL: &str = ".guild/skills/restless";

/// What it says of itself at its beginning, and again when it had time to change: every file's mode, digest and path.
const SCRIPT: &str = r#"
list() {
  find . -type f -printf '%P\n' | LC_ALL=C sort | while read -r file; do
    echo "$(stat -c %a "$file") $(sha256sum < "$file" | cut -d' ' -f1) $file"
  done
}
list
. ./lib/words.sh
sleep 0.02
list
"#;

/// A run that went through, as its caller saw it.
struct Seen {
    run: String,
    hash: String,
    stdout: String,
}

#[test]
fn what_is_approved_in_the_same_breath_is_what_runs() {
    let restless = Restless::new();
    let seen = restless.rewritten(|desk| run(desk, &["--approve", "once"]));
    restless.check(&seen, "run_once");
}

#[test]
fn what_waited_for_its_answer_runs_as_it_was_when_it_asked() {
    let restless = Restless::new();
    let seen = restless.rewritten(|desk| {
        let mut waiting = desk.env.invocation(&["run", "restless", "--wait", "10m"]).spawn();
        let told = waiting.error_line();
        let Some(request) = told.trim_end().strip_prefix("waits for an answer: guild approve ") else {
            // It could not even ask.
            assert!(REFUSALS.iter().any(|code| told.starts_with(&format!("error[{code}]"))), "{told}");
            return None;
        };
        let approved = envelope(&desk.env.guild(&["--json", "approve", request, "--once"]).stdout());
        let text = |place: &str| approved.pointer(place).unwrap().as_str().unwrap().to_owned();
        let output = waiting.finish();
        assert_eq!(output.code(), Some(0), "{output}");
        let run = run_by(desk, &text("/data/grant/id"));
        Some(Seen { run, hash: text("/data/request/security_hash"), stdout: output.stdout() })
    });
    restless.check(&seen, "run_once");
}

#[test]
fn what_is_always_allowed_is_one_state_of_the_skill() {
    let restless = Restless::new();
    // One state is approved while nobody rewrites it; the others, and all mixtures, are refused.
    restless.write(0);
    run(&restless.desk, &["--approve", "always"]).unwrap();
    let seen = restless.rewritten(|desk| run(desk, &[]));
    restless.check(&seen, "always_allow");
    let hashes: Vec<&String> = seen.iter().map(|seen| &seen.hash).collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "more than what was approved has run: {hashes:?}");
}

/// What a skill that changes may be refused for: it lacks a file, does not load, or is not what was approved.
const REFUSALS: &[&str] = &[
    "approval_required",
    "security_hash_mismatch",
    "skill_not_found",
    "skill_changed",
    "read_failed",
    "script_not_found",
];

fn run(desk: &Desk, how: &[&str]) -> Option<Seen> {
    seen(&desk.env.guild(&[&["--json", "run", "restless"], how].concat()).stdout())
}

/// What a run was, unless it was refused.
#[track_caller]
fn seen(stdout: &str) -> Option<Seen> {
    let envelope = envelope(stdout);
    let text = |key: &str| envelope["data"][key].as_str().map(str::to_owned);
    let code = envelope["code"].as_str().unwrap();
    if code == "ok" {
        return Some(Seen { run: text("run")?, hash: text("security_hash")?, stdout: text("stdout")? });
    }
    assert!(REFUSALS.contains(&code), "{envelope}");
    None
}

/// The run that has used a grant.
#[track_caller]
fn run_by(desk: &Desk, grant: &str) -> String {
    let newest = desk.books(async |books| books.ledger.receipts(&Filter::default(), None, 10).await.unwrap());
    let mut started = newest.receipts.iter().filter(|signed| signed.receipt.ends.as_deref() == Some(grant));
    started.next().and_then(|signed| signed.receipt.entry.run).unwrap().to_string()
}

/// A world with a skill that does not stay as it is.
struct Restless {
    desk: Desk,
}

impl Restless {
    fn new() -> Self {
        let restless =
            Self { desk: Desk::new("//- /project/.git/\n//- /project/.guild/skills/restless/lib/\n") };
        restless.write(0);
        restless
    }

    /// Does something while the skill is rewritten, until it has gone through often enough.
    fn rewritten(&self, attempt: impl Fn(&Desk) -> Option<Seen>) -> Vec<Seen> {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..).take_while(|_| !done.load(Ordering::Relaxed)).for_each(|n| self.write(n)));
            let goal = usize::try_from(rounds()).unwrap();
            let mut all = Vec::new();
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                while all.len() < goal {
                    all.extend(attempt(&self.desk));
                }
            }));
            // Whoever rewrites must end before this does, whatever has happened.
            done.store(true, Ordering::Relaxed);
            ended.map_or_else(|panic| std::panic::resume_unwind(panic), |()| all)
        })
    }

    /// Writes one of two states, file by file: contents and a mode differ, and one file is there in every other state.
    fn write(&self, number: u32) {
        let state = number % 2;
        let skill = self.desk.env.project().join(SKILL);
        let front =
            format!("---\nname: restless\ndescription: State {state}\nscript: run.sh\n---\nRun it.\n");
        replace(&skill.join("SKILL.md"), &front, 0o644);
        replace(
            &skill.join("run.sh"),
            &format!("echo script {state}{SCRIPT}"),
            if state == 0 { 0o755 } else { 0o644 },
        );
        replace(&skill.join("lib/words.sh"), &format!("echo words {state}\n"), 0o644);
        // In place, so that an empty and a half-written file can be seen too.
        fs::write(skill.join("notes.txt"), format!("state {state}\n").repeat(2000)).unwrap();
        if state == 0 {
            fs::write(skill.join("extra.txt"), "extra").unwrap();
        } else {
            fs::remove_file(skill.join("extra.txt")).unwrap();
        }
        // As long as somebody needs to look at what they have written.
        std::thread::sleep(std::time::Duration::from_millis(u64::from(number * 7 % 20)));
    }

    /// That every run was of exactly the files that its hash stands for, by a grant for exactly that hash.
    fn check(&self, seen: &[Seen], mode: &str) {
        let receipts = self.receipts();
        for seen in seen {
            let of_run: Vec<&Receipt> = receipts
                .iter()
                .filter(|receipt| receipt.entry.run.is_some_and(|run| run.to_string() == seen.run))
                .collect();
            assert_eq!(of_run.len(), 2, "{} has not begun and ended once", seen.run);
            let (finished, started) = (of_run[0], of_run[1]);
            assert_eq!((started.entry.kind, finished.entry.kind), (Kind::Started, Kind::Finished));
            for receipt in of_run {
                assert_eq!(hash_of(receipt), seen.hash);
            }
            let allows = |receipt: &&Receipt| receipt.entry.code == mode && receipt.seq < started.seq;
            let mut decisions = receipts.iter().filter(allows);
            let decision = match &started.ends {
                Some(grant) => {
                    decisions.find(|receipt| receipt.begins.as_ref().is_some_and(|begun| begun.id == *grant))
                }
                None => decisions.next(),
            };
            assert_eq!(started.ends.is_some(), mode == "run_once");
            assert_eq!(decision.map(hash_of).as_ref(), Some(&seen.hash), "nobody has allowed it");
            assert_eq!(seen.stdout, self.expected(&seen.hash));
        }
    }

    /// What the script says if it is, and lies beside, exactly what was hashed.
    fn expected(&self, hash: &str) -> String {
        let payload = self.blob(hash);
        let payload: Json = serde_json::from_slice(&payload).unwrap();
        let mut files = BTreeMap::new();
        for file in payload["files"].as_array().unwrap() {
            let text = |key: &str| file[key].as_str().unwrap();
            let mode = if file["executable"].as_bool().unwrap() { "555" } else { "444" };
            let digest = text("digest");
            files.insert(text("path").to_owned(), (mode, digest.to_owned()));
        }
        let list: String = files
            .iter()
            .map(|(path, (mode, digest))| format!("{mode} {} {path}\n", digest.trim_start_matches("sha256:")))
            .collect();
        let first_line = |path: &str| {
            let text = String::from_utf8(self.blob(&files[path].1)).unwrap();
            format!("{}\n", text.lines().next().unwrap().trim_start_matches("echo "))
        };
        format!("{}{list}{}{list}", first_line("run.sh"), first_line("lib/words.sh"))
    }

    /// What the store keeps under a digest.
    fn blob(&self, digest: &str) -> Vec<u8> {
        let hex = digest.trim_start_matches("sha256:");
        let place = format!(".local/share/guild/store/blobs/sha256/{}/{hex}", &hex[..2]);
        let bytes = fs::read(self.desk.env.home().join(place)).unwrap();
        assert_eq!(Digest::of(&bytes).to_string(), digest);
        bytes
    }

    /// Every receipt, the newest first.
    fn receipts(&self) -> Vec<Receipt> {
        self.desk.books(async |books| {
            let (mut all, mut cursor) = (Vec::new(), None);
            loop {
                let page = books.ledger.receipts(&Filter::default(), cursor.as_deref(), 1000).await.unwrap();
                all.extend(page.receipts.into_iter().map(|signed| signed.receipt));
                match page.next {
                    Some(next) => cursor = Some(next),
                    None => return all,
                }
            }
        })
    }
}

fn hash_of(receipt: &Receipt) -> String {
    receipt.entry.skill.as_ref().and_then(|skill| skill.security_hash).unwrap().to_string()
}

fn replace(path: &Path, text: &str, mode: u32) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(mode)).unwrap();
    fs::rename(&new, path).unwrap();
}
