//! Runs that are made again from their receipts, and what has changed since something was approved.

use super::{data, shown, world};
use crate::desk::masked;
use expect_test::expect;
use guild_testkit::{Env, session};

/// The receipt of a run that was just approved.
#[track_caller]
fn receipt(env: &Env, arguments: &[&str]) -> String {
    let envelope = data(env, &[arguments, &["--approve", "once"]].concat());
    assert_eq!(envelope["status"], "ok", "{envelope}");
    envelope["data"]["receipt"].as_str().unwrap().to_owned()
}

#[track_caller]
fn replayed(env: &Env, id: &str, script: &str) -> String {
    masked(&session(env, &script.replace("$ID", id)))
}

#[test]
fn a_run_made_again_from_the_staged_copy_is_the_same() {
    let env = world();
    let id = receipt(&env, &["greet", "--param", "who=you"]);
    // The live directory is of no account any more.
    std::fs::remove_dir_all(env.project().join(".guild/skills/greet")).unwrap();
    expect![[r#"
        $ guild replay [RCP 1]
        [stderr]
        error[approval_required]: a person must approve it first; `guild approve [APR 1]` answers
        [exit 3]
        $ guild replay [RCP 1] --approve once
        hello you
        [stderr]
        the same as [RCP 1]
        $ guild receipts verify
        [stderr]
        7 receipts verified
    "#]]
    .assert_eq(&replayed(
        &env,
        &id,
        "guild replay $ID\nguild replay $ID --approve once\nguild receipts verify",
    ));
}

#[test]
fn arguments_are_handed_over_in_the_same_order_again() {
    let env = world();
    env.write(
        "//- /project/.guild/skills/order/SKILL.md\n---\nname: order\ndescription: Tells its arguments\nscript: order.sh\nparams: {zeta: {type: string}, mid: {type: integer, default: 3}, alpha: {type: string}}\n---\nTell.\n//- /project/.guild/skills/order/order.sh\necho \"$@\"\n",
    );
    let given = ["y=5", "alpha=2", "x=4", "zeta=1"].map(|param| ["--param", param]);
    let id = receipt(&env, &[&["order"][..], given.as_flattened()].concat());
    expect![[r#"
        $ guild replay [RCP 1] --approve once
        --zeta 1 --mid 3 --alpha 2 --y 5 --x 4
        [stderr]
        the same as [RCP 1]
    "#]]
    .assert_eq(&replayed(&env, &id, "guild replay $ID --approve once"));
}

#[test]
fn what_gives_something_else_the_second_time_is_told() {
    let env = world();
    let id = receipt(&env, &["count", "--param", "path=notes.txt"]);
    std::fs::write(env.project().join("notes.txt"), "one\ntwo\nthree\n").unwrap();
    expect![[r#"
        $ guild replay [RCP 1] --approve once
        {"lines": 3}
        [stderr]
        error[replay_differs]: other than [RCP 1]: stdout
        [exit 1]
    "#]]
    .assert_eq(&replayed(&env, &id, "guild replay $ID --approve once"));
}

#[test]
fn a_secret_is_given_again_and_must_be_the_same() {
    let env = world();
    let id = receipt(&env, &["greet", "--param", "who=you", "--param", "token=hunter2"]);
    expect![[r#"
        $ guild replay [RCP 1] --approve once
        [stderr]
        error[replay_impossible]: `token` is a secret and was not kept; give it with --param token=…
        [exit 1]
        $ guild replay [RCP 1] --approve once --param token=other
        [stderr]
        error[replay_impossible]: `token` is not the secret of the first time
        [exit 1]
        $ guild replay [RCP 1] --approve once --param token=hunter2
        hello you
        [stderr]
        the same as [RCP 1]
    "#]]
    .assert_eq(&replayed(
        &env,
        &id,
        "
        guild replay $ID --approve once
        guild replay $ID --approve once --param token=other
        guild replay $ID --approve once --param token=hunter2
        ",
    ));
}

#[test]
fn a_secret_that_a_script_prints_is_in_no_log() {
    let env = world();
    env.write(
        "//- /project/.guild/skills/leak/SKILL.md\n---\nname: leak\ndescription: Prints its secret\nscript: leak.sh\nparams: {token: {type: string, format: password}}\n---\nPrint.\n//- /project/.guild/skills/leak/leak.sh\necho \"$@\"\n",
    );
    let id = receipt(&env, &["leak", "--param", "token=hunter2-hunter2"]);
    let logs = env.home().join(".local/share/guild/store/logs");
    let kept: Vec<String> = files_in(&logs).iter().map(|log| std::fs::read_to_string(log).unwrap()).collect();
    assert_eq!(kept, ["--token <secret>\n"]);
    // The same secret leaves the same log.
    let again =
        env.guild(&["--json", "replay", &id, "--approve", "once", "--param", "token=hunter2-hunter2"]);
    assert_eq!(crate::envelope(&again.stdout())["data"]["same"], true, "{again}");
}

fn files_in(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect()
}

#[test]
fn what_cannot_be_made_again_says_why() {
    let env = world();
    let id = receipt(&env, &["notes", "tidy"]);
    expect![[r#"
        $ guild replay [RCP 1]
        [stderr]
        error[replay_impossible]: [RCP 1] is no receipt of a run that has ended
        [exit 1]
        $ guild replay rcp_0
        [stderr]
        error[receipt_not_found]: there is no receipt `rcp_0`; `guild receipts list` shows them
        [exit 1]
    "#]]
    .assert_eq(&replayed(&env, &id, "guild replay $ID\nguild replay rcp_0"));
    let id = receipt(&env, &["greet", "--param", "who=you"]);
    std::fs::remove_dir_all(env.home().join(".local/share/guild/store")).unwrap();
    expect![[r#"
        $ guild replay [RCP 1] --approve once
        [stderr]
        error[hash_unknown]: the store has no content [SHA256 1]
        [exit 1]
    "#]]
    .assert_eq(&replayed(&env, &id, "guild replay $ID --approve once"));
}

#[test]
fn a_large_parameter_is_kept_beside_the_receipt() {
    let env = world();
    let who = format!("who={}", "x".repeat(9000));
    let id = receipt(&env, &["greet", "--param", &who]);
    let again = env.guild(&["--json", "replay", &id, "--approve", "once"]);
    assert_eq!(crate::envelope(&again.stdout())["data"]["same"], true);
}

#[test]
fn what_changed_since_it_was_approved_is_shown() {
    let env = world();
    let first =
        shown(&env, "guild diff greet\nguild run greet --param who=you --approve always\nguild diff greet");
    let script = env.project().join(".guild/skills/greet/greet.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, text.replace("hello", "goodbye")).unwrap();
    let skill = env.project().join(".guild/skills/greet/SKILL.md");
    let text = std::fs::read_to_string(&skill).unwrap();
    std::fs::write(&skill, text.replace("workspace: none", "workspace: read, network: host")).unwrap();
    expect![[r#"
        $ guild diff greet
        [stderr]
        error[hash_unknown]: skill `greet` was never approved for agent `default`; `--from` compares with another hash
        [exit 1]
        $ guild run greet --param who=you --approve always
        hello you
        $ guild diff greet
        [stderr]
        nothing has changed
        $ guild diff greet
        more network: none → host
        more workspace: none → read
        changed SKILL.md
        @@ -6 +6 @@
           who: {type: string, required: true}
           times: {type: integer, default: 1, maximum: 3}
           token: {type: string, format: password}
        -capabilities: {workspace: none}
        +capabilities: {workspace: read, network: host}
         timeout_seconds: 20
         ---
         Greet them.
        changed greet.sh
        @@ -5 +5 @@
           esac
           shift 2
         done
        -for _ in $(seq "$times"); do echo "hello $who"; done
        +for _ in $(seq "$times"); do echo "goodbye $who"; done
        $ guild diff greet --agent reviewer
        [stderr]
        error[hash_unknown]: skill `greet` was never approved for agent `reviewer`; `--from` compares with another hash
        [exit 1]
    "#]].assert_eq(&(first + &shown(&env, "guild diff greet\nguild diff greet --agent reviewer")));
}
