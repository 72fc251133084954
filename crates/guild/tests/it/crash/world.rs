//! The installation in which somebody is killed, and what can be done there.

use crate::desk::Desk;
use guild_testkit::{Invocation, Orphans, Output, Witness};
use serde_json::Value as Json;
use std::time::{Duration, Instant};

const SKILLS: &str = r#"
//- /project/.git/
//- /project/.guild/skills/tell/SKILL.md
---
name: tell
description: Tells that it ran
script: tell.sh
params: {n: {type: string, required: true}}
---
Tell.
//- /project/.guild/skills/tell/tell.sh
exec 9>/workspace/witness
echo "$2" >&9
echo "did $2"
sleep 0.03
//- /project/.guild/skills/change/SKILL.md
---
name: change
description: Changes the workspace
script: change.sh
params: {n: {type: string, required: true}}
capabilities: {workspace: write}
---
Change.
//- /project/.guild/skills/change/change.sh
echo "$2" > /workspace/changed
echo "did $2"
sleep 0.03
"#;

/// An installation.
pub struct World {
    pub desk: Desk,
    pub usual: Usual,
    /// Which runs have really happened.
    pub witness: Witness,
    pub orphans: Orphans,
    /// How far those were who were killed.
    pub tally: [usize; 3],
}

/// What commands take when nobody kills them.
pub struct Usual {
    pub run: Duration,
    pub approval: Duration,
}

impl World {
    /// An installation without books, whose ledger will be in this database or else in a file.
    pub fn new(database: Option<&str>) -> Self {
        let ledger = database.map(|url| format!("[ledger]\nurl = \"{url}\"\n")).unwrap_or_default();
        let config = format!("//- /home/.config/guild/config.toml\nbuiltins = false\n{ledger}");
        let desk = Desk::new(&format!("{config}{SKILLS}"));
        let witness = Witness::at(&desk.env.project().join("witness"));
        let usual = Usual { run: Duration::from_millis(150), approval: Duration::from_millis(50) };
        Self { desk, usual, witness, orphans: Orphans::adopt(), tally: [0; 3] }
    }

    /// Makes the books and learns what commands take here.
    pub fn settle(&mut self) {
        let mut took = Duration::ZERO;
        for number in ["first", "second"] {
            let begun = Instant::now();
            let ran =
                self.desk.env.guild(&["run", "tell", "--param", &format!("n={number}"), "--approve", "once"]);
            assert_eq!(ran.code(), Some(0), "{ran}");
            took = begun.elapsed();
        }
        self.usual.run = took;
        let request = self.ask(u64::MAX);
        let begun = Instant::now();
        assert_eq!(self.desk.env.guild(&["approve", &request, "--once"]).code(), Some(0));
        self.usual.approval = begun.elapsed();
    }

    /// A run of a skill that has not happened yet.
    pub fn run(&self, skill: &str, number: u64, how: &[&str]) -> Invocation {
        let number = format!("n={number}");
        self.desk.env.invocation(&[&["run", skill, "--param", &number], how].concat())
    }

    /// Asks for a run that nobody has approved; the request.
    #[track_caller]
    pub fn ask(&self, number: u64) -> String {
        let asked = self.run("tell", number, &["--json"]).output();
        let envelope = envelope_of(&asked).unwrap();
        envelope["data"]["request"].as_str().unwrap().to_owned()
    }

    /// How far those were who were killed, for whoever soaks.
    pub fn tell(&self) {
        let [nothing, granted, started] = self.tally;
        eprintln!(
            "killed before anything was granted: {nothing}, before it started: {granted}, later: {started}"
        );
    }
}

/// The envelope that a command has printed, if it came to that; a part of one does not count.
pub fn envelope_of(output: &Output) -> Option<Json> {
    output.stdout().strip_suffix('\n').map(|line| serde_json::from_str(line).unwrap())
}
