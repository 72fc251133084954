//! What a container writes to a copy-on-write mount, and what a person decides about it.

use crate::{env, envelope};
use expect_test::{Expect, expect};
use guild_testkit::{Env, session};
use std::fs;

const FILES: &str = "//- /project/poem.txt\nroses\nviolets\nsugar\n//- /project/old/gone.txt\nbye\n";

/// Runs a script over the project's files; the id of what is kept of it.
#[track_caller]
fn kept(env: &Env, script: &str) -> String {
    let mount = ["sandbox", "run", "--json", "--mount", ".:/workspace:cow", "--workdir", "/workspace"];
    let output = env.guild(&[&mount[..], &["--", "sh", "-ec", script]].concat());
    let reply = envelope(&output.stdout());
    assert_eq!(reply["data"]["exit_code"], 0, "{output}");
    reply["data"]["changes"][0]["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn check(env: &Env, id: &str, script: &str, expected: &Expect) {
    expected.assert_eq(&session(env, &script.replace("$ID", id)).replace(id, "$ID"));
}

#[test]
fn nothing_changes_before_it_is_applied_and_then_everything() {
    let env = env(FILES);
    let id = kept(
        &env,
        "sed -i s/violets/tulips/ poem.txt; rm -r old; mkdir new; echo hi > new/a; chmod 600 new/a",
    );
    assert_eq!(fs::read_to_string(env.join("project/poem.txt")).unwrap(), "roses\nviolets\nsugar\n");
    check(
        &env,
        &id,
        "guild changes list\nguild changes show $ID\nguild changes apply $ID\nguild changes list\nguild changes apply $ID\nguild changes drop $ID",
        &expect![[r#"
            $ guild changes list
            ID                              CHANGES   DIRECTORY
            $ID  +2 ~1 -2  [ROOT]/project
            [stderr]
            1 change set
            $ guild changes show $ID
            added directory new
            added file new/a
            @@ -1 +1 @@
            +hi
            deleted directory old
            deleted file old/gone.txt
            @@ -1 +1 @@
            -bye
            changed file poem.txt
            @@ -1 +1 @@
             roses
            -violets
            +tulips
             sugar
            $ guild changes apply $ID
            [stderr]
            5 changes applied to [ROOT]/project
            $ guild changes list
            [stderr]
            0 change sets
            $ guild changes apply $ID
            [stderr]
            error[changes_unusable]: change set `$ID` is applied already
            [exit 1]
            $ guild changes drop $ID
            [stderr]
            error[changes_not_found]: there is no change set `$ID`; `guild changes list` shows those that wait
            [exit 1]
        "#]],
    );
    assert_eq!(fs::read_to_string(env.join("project/poem.txt")).unwrap(), "roses\ntulips\nsugar\n");
    assert!(!env.join("project/old").exists() && env.join("project/new/a").exists());
}

#[test]
fn what_is_dropped_is_as_if_it_had_never_been() {
    let env = env(FILES);
    let id = kept(&env, "echo more >> poem.txt");
    check(
        &env,
        &id,
        "guild changes drop $ID\nguild changes show $ID",
        &expect![[r#"
        $ guild changes drop $ID
        [stderr]
        1 change dropped; [ROOT]/project is as it was
        $ guild changes show $ID
        [stderr]
        error[changes_not_found]: there is no change set `$ID`; `guild changes list` shows those that wait
        [exit 1]
    "#]],
    );
    assert_eq!(fs::read_to_string(env.join("project/poem.txt")).unwrap(), "roses\nviolets\nsugar\n");
    let left = fs::read_dir(env.join("home/.local/state/guild/changes")).unwrap();
    assert_eq!(left.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>(), ["lock"]);
}

#[test]
fn a_run_that_changes_nothing_leaves_nothing_to_decide() {
    let env = env(FILES);
    let output =
        env.guild(&["sandbox", "run", "--mount", ".:/workspace:cow", "--", "cat", "/workspace/old/gone.txt"]);
    expect![[r#"
        exit: 0
        --- stdout
        bye
        --- stderr
    "#]]
    .assert_eq(&output.to_string());
    assert_eq!(env.guild(&["changes", "list"]).stderr(), "0 change sets\n");
}

#[test]
fn what_is_too_much_to_be_kept_is_told_with_how_the_command_ended_and_leaves_nothing() {
    let env = env(FILES);
    let script = "truncate -s 3G /workspace/hole; echo said; exit 5";
    let output =
        env.guild(&["sandbox", "run", "--json", "--mount", ".:/workspace:cow", "--", "sh", "-c", script]);
    let reply = envelope(&output.stdout());
    expect![[r#"
        "what was written cannot be kept: there are more than 2147483648 bytes"
        [5,"said\n",[]]"#]]
    .assert_eq(&format!(
        "{}\n{}",
        reply["message"],
        serde_json::json!([reply["data"]["exit_code"], reply["data"]["stdout"], reply["data"]["changes"]])
    ));
    assert_eq!((reply["code"].as_str(), output.code()), (Some("changes_unusable"), Some(5)));
    let changes = env.join("home/.local/state/guild/changes");
    let layers: Vec<_> = fs::read_dir(changes)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().join("layer").exists())
        .collect();
    assert!(layers.is_empty(), "{layers:?}");
}

#[test]
fn a_set_that_would_fill_the_memory_is_shown_in_part() {
    let env = env(FILES);
    let id = kept(&env, "yes x | head -c 500000 > first; for each in $(seq 40); do cp first $each; done");
    let shown = env.guild(&["changes", "show", &id, "--json"]).stdout();
    let reply = envelope(&shown);
    let details = reply["data"]["changes"].as_array().unwrap();
    let kinds: Vec<&str> =
        details.iter().map(|detail| detail["difference"]["kind"].as_str().unwrap()).collect();
    let lines = kinds.iter().filter(|kind| **kind == "lines").count();
    assert!(
        (1..10).contains(&lines) && kinds.iter().filter(|kind| **kind == "too_long").count() == 41 - lines,
        "{kinds:?}"
    );
}

#[test]
fn files_that_decide_what_agents_do_are_confirmed_on_their_own() {
    let env = env(FILES);
    let id = kept(&env, "mkdir .claude; echo '{}' > .claude/settings.json; echo more >> poem.txt");
    check(
        &env,
        &id,
        "guild changes apply $ID\nguild changes list\nguild changes apply $ID --sensitive",
        &expect![[r#"
            $ guild changes apply $ID
            [stderr]
            error[changes_sensitive]: 2 files that decide what agents and machines do would change: .claude, .claude/settings.json; look at them and add --sensitive
            [exit 3]
            $ guild changes list
            ID                              CHANGES                 DIRECTORY
            $ID  +2 ~1 -0 (2 sensitive)  [ROOT]/project
            [stderr]
            1 change set
            $ guild changes apply $ID --sensitive
            [stderr]
            3 changes applied to [ROOT]/project
        "#]],
    );
}

#[test]
fn a_directory_that_has_changed_meanwhile_is_left_alone() {
    let env = env(FILES);
    let id = kept(&env, "echo more >> poem.txt; echo n > new");
    fs::write(env.join("project/poem.txt"), "my own\n").unwrap();
    check(
        &env,
        &id,
        "guild changes apply $ID",
        &expect![[r#"
        $ guild changes apply $ID
        [stderr]
        error[workspace_conflict]: the directory has changed since: "poem.txt" was changed
        [exit 1]
    "#]],
    );
    assert!(!env.join("project/new").exists());
    assert_eq!(fs::read_to_string(env.join("project/poem.txt")).unwrap(), "my own\n");
}

#[test]
fn what_is_never_applied_keeps_the_rest_from_being_applied() {
    let env = env(FILES);
    let id = kept(&env, "ln -s /etc/passwd link; mkfifo pipe; echo more >> poem.txt");
    check(
        &env,
        &id,
        "guild changes show $ID\nguild changes apply $ID",
        &expect![[r#"
        $ guild changes show $ID
        added link link → /etc/passwd
        changed file poem.txt
        @@ -1 +1 @@
         roses
         violets
         sugar
        +more
        refused link: links to "/etc/passwd", which leads out of the directory
        refused pipe: is a named pipe
        $ guild changes apply $ID
        [stderr]
        error[changes_unusable]: 2 of the changes cannot be applied: "link" links to "/etc/passwd", which leads out of the directory, "pipe" is a named pipe
        [exit 1]
    "#]],
    );
    assert_eq!(fs::read_to_string(env.join("project/poem.txt")).unwrap(), "roses\nviolets\nsugar\n");
}

#[test]
fn a_strangers_text_in_a_difference_does_nothing_to_a_terminal() {
    let env = env(FILES);
    let id = kept(
        &env,
        r"printf 'a\033]0;owned\007b\n' > evil; printf x > 'na
me'",
    );
    check(
        &env,
        &id,
        "guild changes show $ID",
        &expect![[r#"
        $ guild changes show $ID
        added file evil
        @@ -1 +1 @@
        +a\u{1b}]0;owned\u{7}b
        added file na\u{a}me
        @@ -1 +1 @@
        +x
    "#]],
    );
}

#[test]
fn every_decision_leaves_a_receipt_and_no_agent_makes_one() {
    let env = env(FILES);
    let id = kept(&env, "echo more >> poem.txt; mkdir .claude");
    for decision in [
        &["changes", "apply", &id, "--sensitive", "--agent", "intern"][..],
        &["changes", "drop", &id, "--agent", "intern"],
        &["changes", "apply", &id],
        &["changes", "apply", &id, "--sensitive"],
    ] {
        let _ = env.guild(decision);
    }
    let other = kept(&env, "echo again >> poem.txt");
    assert_eq!(env.guild(&["changes", "drop", &other]).code(), Some(0));
    let reply = envelope(&env.guild(&["receipts", "list", "--json"]).stdout());
    let receipts = reply["data"]["receipts"].as_array().unwrap();
    let told: String = receipts
        .iter()
        .rev()
        .map(|receipt| format!("{} {} {}\n", receipt["kind"], receipt["code"], receipt["principal"]["agent"]))
        .collect();
    expect![[r#"
        "denied" "person_required" "intern"
        "denied" "person_required" "intern"
        "denied" "changes_sensitive" "default"
        "decision" "applied" "default"
        "decision" "dropped" "default"
    "#]]
    .assert_eq(&told);
    assert_eq!(envelope(&env.guild(&["receipts", "verify", "--json"]).stdout())["data"]["verified"], true);
}
