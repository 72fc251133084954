//! Installing killed at any moment: afterwards the files, the lock and the registry agree, and everything is what was or what was to be.

use crate::envelope;
use crate::installing::{assert_nothing_is_left, done, world};
use guild_engine::{Books, Places, configure};
use guild_testkit::{Dice, Env, Output, rounds};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// The skills of the source; every one of them has several files, so that there is something to mix up.
const NAMES: &[&str] = &["a", "b", "c", "d"];

/// Writes the source anew: all files of a skill say the same number.
fn write_source(env: &Env, number: u64) {
    let mut files = String::new();
    for name in NAMES {
        files.push_str(&format!(
            "//- /source/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: Number {number}\n---\n\nSay the number {number} to everybody who wants to hear it.\n"
        ));
        for file in ["one.md", "more/two.md", "more/three.md"] {
            files.push_str(&format!("//- /source/skills/{name}/{file}\nnumber {number}\n"));
        }
    }
    files.push_str(&format!(
        "//- /source/plugins/p/.claude-plugin/plugin.json\n{{\"name\": \"p\", \"version\": \"{number}.0.0\", \"description\": \"Number {number}\"}}\n"
    ));
    env.write(&files);
}

/// Everything that the registry has of what was installed: name, digest, and whether it is on.
fn registered(env: &Env) -> Vec<(String, String, bool)> {
    let place = |name: &str| Some(env.home().join(name).join("guild"));
    let places = Places { data: place(".local/share"), state: place(".local/state"), cache: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let books = Books::open(&places, &configure(&[]).config, &[]).await.unwrap();
        let mut found = Vec::new();
        for known in books.ledger.registrations().await.unwrap() {
            let digest = known.subject.digest.unwrap().to_string();
            let is_on = known.is_on_for(None);
            found.push((format!("{}:{}", known.subject.kind.as_str(), known.subject.name), digest, is_on));
        }
        found.sort();
        found
    })
}

/// The same as the lock says it: skills are on, and plugins are not.
fn locked(env: &Env) -> Vec<(String, String, bool)> {
    let listed = envelope(&env.guild(&["list", "--installed", "--json"]).stdout());
    let text = |line: &Json, key: &str| line[key].as_str().unwrap().to_owned();
    let lines = listed["data"]["installed"].as_array().unwrap().iter();
    let mut found: Vec<_> = lines
        .map(|line| {
            let kind = text(line, "kind");
            let is_on = kind == "skill";
            assert_eq!(line["enabled"], is_on, "{line}");
            (format!("{kind}:{}", text(line, "name")), text(line, "digest"), is_on)
        })
        .collect();
    found.sort();
    found
}

/// The numbers that the files of each installed skill say; a skill whose files say several is mixed up.
#[track_caller]
fn installed(env: &Env) -> BTreeMap<String, u64> {
    let root = env.project().join(".guild/skills");
    let mut skills = BTreeMap::new();
    for entry in fs::read_dir(&root).into_iter().flatten().map(Result::unwrap) {
        let said = |file: &str| {
            let text = fs::read_to_string(entry.path().join(file)).unwrap();
            let digits: String =
                text.split("umber ").nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u64>().unwrap()
        };
        let numbers = ["SKILL.md", "one.md", "more/two.md", "more/three.md"].map(said);
        assert!(
            numbers.iter().all(|number| *number == numbers[0]),
            "{:?} is mixed up: {numbers:?}",
            entry.path()
        );
        skills.insert(entry.file_name().into_string().unwrap(), numbers[0]);
    }
    skills
}

fn said(output: &Output) -> Option<Json> {
    serde_json::from_str(&output.stdout()).ok()
}

#[test]
fn whoever_is_killed_while_installing_leaves_the_old_or_the_new() {
    let env = world();
    let mut dice = Dice::new(0x0ff_c0de);
    write_source(&env, 0);
    let begin = Instant::now();
    done(&env, &["add", "../source", "--all"]);
    let usual = begin.elapsed();
    let mut number = 0;
    let (mut killed, mut changed) = (0, 0);
    for _ in 0..rounds() {
        let before = installed(&env);
        number += 1;
        write_source(&env, number);
        let arguments: &[&str] = match dice.below(4) {
            0 => &["remove", "a", "c", "p", "--json"],
            1 => &["update", "--yes", "--json"],
            _ => &["add", "../source", "--all", "--replace", "--json"],
        };
        let running = env.invocation(arguments).spawn();
        let most = usize::try_from(usual.as_micros()).unwrap() * 5 / 4;
        std::thread::sleep(Duration::from_micros(dice.below(most) as u64));
        let output = running.kill();
        killed += u32::from(output.code().is_none());
        // The next start carries through what had begun.
        let verified = env.guild(&["verify", "--json"]);
        let envelope = envelope(&verified.stdout());
        assert_eq!(envelope["data"]["ok"], true, "{arguments:?} {verified}");
        let after = installed(&env);
        let has_plugin = env.project().join(".guild/plugins/p").exists();
        let count = after.len() + usize::from(has_plugin);
        assert_eq!(envelope["data"]["checked"], count, "the lock and the files disagree");
        assert_eq!(locked(&env), registered(&env), "the lock and the registry disagree");
        let is_new = if arguments[0] == "remove" {
            after.len() < before.len()
        } else {
            after.values().any(|value| *value == number)
        };
        changed += u32::from(is_new);
        if is_new && arguments[0] != "remove" {
            let newest = after.values().filter(|value| **value == number).count();
            assert!(newest == after.len(), "half of it: {after:?}");
        }
        if !is_new {
            assert_eq!(before, after, "neither the old nor the new");
        }
        if said(&output).is_some_and(|said| said["status"] == "ok") {
            assert!(is_new || before == after);
        }
        if after.len() < NAMES.len() {
            done(&env, &["add", "../source", "--all", "--replace"]);
        }
    }
    done(&env, &["add", "../source", "--all", "--replace"]);
    done(&env, &["remove", "a"]);
    assert_nothing_is_left(&env);
    done(&env, &["receipts", "verify"]);
    eprintln!("{killed} killed, {changed} changed");
}
