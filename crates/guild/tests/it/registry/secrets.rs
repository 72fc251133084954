//! Secrets: encrypted where they lie, printed nowhere, and handed to what declares them alone.

use super::{shown, world};
use expect_test::{expect, expect_file};
use guild_testkit::Env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn a_secret_satisfies_a_requirement_and_reaches_only_who_declares_it() {
    let env = world();
    for (name, value) in [("KEYED_TOKEN", "hunter2-hunter2\n"), ("NEEDY_KEY", "another")] {
        let set = env.invocation(&["secret", "set", name]).stdin(value).output();
        assert_eq!(set.code(), Some(0), "{set}");
    }
    // Whoever is asked is shown that it is their secret.
    assert_eq!(env.guild(&["run", "keyed"]).code(), Some(3));
    let requests = env.guild(&["--json", "requests"]).stdout();
    assert!(requests.contains(r#""value":"KEYED_TOKEN (your secret)""#), "{requests}");
    let session = shown(
        &env,
        "
        guild secret list
        guild list --source project
        guild run keyed --dry-run
        guild run keyed --approve once
        guild enable needy
        guild secret remove NEEDY_KEY
        guild secret remove NEEDY_KEY
        guild secret remove KEYED_TOKEN --agent ci
        guild plugins config get needy
        guild receipts verify
        ",
    );
    assert!(!session.contains("hunter2"), "{session}");
    expect_file!["sessions/a_secret_satisfies_a_requirement_and_reaches_only_who_declares_it.txt"]
        .assert_eq(&session);
}

#[test]
fn nothing_on_the_disk_holds_the_value_and_the_key_is_its_owners_alone() {
    let env = world();
    let set = env.invocation(&["secret", "set", "KEYED_TOKEN"]).stdin("hunter2-hunter2").output();
    assert_eq!(set.code(), Some(0), "{set}");
    let run = env.guild(&["run", "keyed", "--approve", "once"]);
    assert_eq!(run.stdout(), "token of 15 letters, 0 others\n");
    let data = env.home().join(".local/share/guild");
    let mode = fs::metadata(data.join("keys/secrets.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let looked_at = look_for(&env, "hunter2");
    assert!(looked_at > 3, "{looked_at}");
}

/// Looks into every file of the home directory for a word, which is in none of them; says how many there are.
#[track_caller]
fn look_for(env: &Env, word: &str) -> usize {
    let mut looked_at = 0;
    let mut directories = vec![env.home()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
                assert!(!found, "{}", path.display());
                looked_at += 1;
            }
        }
    }
    looked_at
}

#[test]
fn what_a_script_or_a_hook_prints_is_kept_without_the_secrets_that_it_was_given() {
    let env = world();
    env.write(
        "//- /project/.guild/skills/keyed/keyed.sh\necho \"token $KEYED_TOKEN\"; echo \"$KEYED_TOKEN\" >&2\n",
    );
    env.write("//- /project/.guild/plugins/house/on.py\nprint(open('/input/context.json').read())\n");
    for arguments in [&["secret", "set", "KEYED_TOKEN"][..], &["plugins", "config", "set", "house", "token"]]
    {
        let set = env.invocation(arguments).stdin("hunter2 \"and\" more").output();
        assert_eq!(set.code(), Some(0), "{set}");
    }
    // Whoever runs it sees what it prints.
    let run = env.guild(&["run", "keyed", "--approve", "once"]);
    assert_eq!(run.stdout(), "token hunter2 \"and\" more\n");
    let enabled = env.guild(&["enable", "house", "--approve", "once"]);
    assert_eq!(enabled.code(), Some(0), "{enabled}");
    look_for(&env, "hunter2");
}

#[test]
fn the_reason_of_a_failed_hook_is_kept_without_the_secrets_that_it_was_given() {
    let env = world();
    env.write("//- /project/.guild/plugins/house/on.py\nimport json, sys\nsys.exit('no entry with ' + json.load(open('/input/context.json'))['secrets']['token'])\n");
    let set = env.invocation(&["plugins", "config", "set", "house", "token"]).stdin("hunter2-more").output();
    assert_eq!(set.code(), Some(0), "{set}");
    let enabled = env.guild(&["enable", "house", "--approve", "once"]);
    expect![[r#"
        error[hook_failed]: `onEnable` of plugin `house` failed: the script ended with exit code 1 (no entry with <secret>)
    "#]].assert_eq(&enabled.stderr());
    look_for(&env, "hunter2");
}

#[test]
fn a_secrets_name_that_is_not_quite_right_is_told_which_are_near() {
    let env = world();
    let set = env.invocation(&["secret", "set", "KEYED_TOKEN"]).stdin("hunter2-hunter2").output();
    assert_eq!(set.code(), Some(0), "{set}");
    expect![[r#"
        $ guild secret remove KEYD_TOKEN
        [stderr]
        error[secret_not_found]: no secret `KEYD_TOKEN` is kept; did you mean `KEYED_TOKEN`?
        [exit 1]
        $ guild secret remove OTHER
        [stderr]
        error[secret_not_found]: no secret `OTHER` is kept; `guild secret list` shows those that are
        [exit 1]
    "#]]
    .assert_eq(&shown(&env, "guild secret remove KEYD_TOKEN\nguild secret remove OTHER"));
}

#[test]
fn what_cannot_stand_in_an_environment_is_refused() {
    let env = world();
    let set = |name: &str, value: &str| {
        let output = env.invocation(&["secret", "set", name]).stdin(value).output();
        format!("{}{:?}\n", output.stderr(), output.code())
    };
    let told = [set("1ST", "x"), set("A-B", "x"), set("EMPTY", "\n"), set("ZERO", "a\0b")].concat();
    expect![[r#"
        error[secret_invalid]: the name is none of a variable: use letters, digits and underscores
        Some(2)
        error[secret_invalid]: the name is none of a variable: use letters, digits and underscores
        Some(2)
        error[secret_invalid]: the value is empty
        Some(2)
        error[secret_invalid]: the value holds a zero character
        Some(2)
    "#]]
    .assert_eq(&told);
}

#[test]
fn a_secret_that_was_tampered_with_is_not_handed_over() {
    let env = world();
    let set = env.invocation(&["secret", "set", "KEYED_TOKEN"]).stdin("hunter2").output();
    assert_eq!(set.code(), Some(0), "{set}");
    let key = env.home().join(".local/share/guild/keys/secrets.json");
    let mut stored: serde_json::Value = serde_json::from_slice(&fs::read(&key).unwrap()).unwrap();
    stored["secret"] = "a5".repeat(32).into();
    fs::write(&key, stored.to_string()).unwrap();
    expect![[r#"
        $ guild run keyed --approve once
        [stderr]
        error[secret_unreadable]: it was not encrypted by this installation, or was changed since
        [exit 1]
    "#]]
    .assert_eq(&shown(&env, "guild run keyed --approve once"));
}

#[test]
fn a_secret_is_typed_at_a_terminal_and_not_shown() {
    let env = world();
    let set = env.invocation(&["secret", "set", "KEYED_TOKEN"]).typed("hunter2\n");
    // A question ends with a blank, which snapshots do not.
    let shown = set.to_string().replace(" \n", "\n");
    assert!(!shown.contains("hunter2"), "{shown}");
    expect![[r#"
        exit: 0
        --- stdout
        --- stderr
        Value of KEYED_TOKEN:
        KEYED_TOKEN is kept
    "#]]
    .assert_eq(&shown);
    let run = env.guild(&["run", "keyed", "--approve", "once"]);
    assert_eq!(run.stdout(), "token of 7 letters, 0 others\n", "{run}");
}
