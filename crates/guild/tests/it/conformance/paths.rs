//! The ways that lead somewhere.

use super::{data, shown, world};
use expect_test::expect;

#[test]
fn a_script_runs_once_approved_and_leaves_a_receipt() {
    expect![[r#"
        $ guild run greet --param who=you
        [stderr]
        error[approval_required]: a person must approve it first; `guild approve [APR 1]` answers
        [exit 3]
        $ guild requests
        ID                              ACTION  AGENT    SKILL  EXPIRES
        [APR 1]  run     default  greet  [TIME]
        [stderr]
        1 request
        $ guild run greet --param who=you --approve once
        hello you
        $ guild run greet --param who=you
        [stderr]
        error[approval_required]: a person must approve it first; `guild approve [APR 1]` answers
        [exit 3]
        $ guild run greet --param who=you --param times=2 --approve always
        hello you
        hello you
        $ guild run greet --param who=them
        hello them
        $ guild grants list
        ID                              MODE          AGENT    SKILL  EXPIRES  WORKSPACE
        [GRT 1]  always_allow  default  greet  -
        [stderr]
        1 grant
        $ guild receipts list
        ID                              AT                        KIND      CODE               AGENT    SKILL
        [RCP 1]  [TIME]  finished  ok                 default  greet
        [RCP 2]  [TIME]  started   ok                 default  greet
        [RCP 3]  [TIME]  finished  ok                 default  greet
        [RCP 4]  [TIME]  started   ok                 default  greet
        [RCP 5]  [TIME]  decision  always_allow       default  greet
        [RCP 6]  [TIME]  asked     approval_required  default  greet
        [RCP 7]  [TIME]  finished  ok                 default  greet
        [RCP 8]  [TIME]  started   ok                 default  greet
        [RCP 9]  [TIME]  decision  run_once           default  greet
        [RCP 10]  [TIME]  asked     approval_required  default  greet
        [stderr]
        10 receipts
        $ guild receipts verify
        [stderr]
        10 receipts verified
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild run greet --param who=you
        guild requests
        guild run greet --param who=you --approve once
        guild run greet --param who=you
        guild run greet --param who=you --param times=2 --approve always
        guild run greet --param who=them
        guild grants list
        guild receipts list
        guild receipts verify
        ",
    ));
}

#[test]
fn a_run_says_everything_to_programs() {
    let env = world();
    let envelope =
        data(&env, &["greet", "--param", "who=you", "--param", "token=hunter2", "--approve", "once"]);
    let mut keys: Vec<&String> = envelope["data"].as_object().unwrap().keys().collect();
    keys.sort();
    expect![[r#"
        [
            "backend",
            "changes",
            "container_id",
            "errors",
            "exit_code",
            "files",
            "findings",
            "kind",
            "left_behind",
            "oom",
            "output",
            "owned_container",
            "plan",
            "receipt",
            "request",
            "run",
            "security_hash",
            "skill",
            "stderr",
            "stdout",
            "timed_out",
            "truncated",
            "unenforced",
            "wall_time_ms",
        ]
    "#]]
    .assert_debug_eq(&keys);
    assert_eq!(envelope["data"]["stdout"], "hello you\n");
    assert_eq!(envelope["data"]["exit_code"], 0);
    assert_eq!(envelope["data"]["backend"], "embedded");
    let receipt = envelope["data"]["receipt"].as_str().unwrap();
    let shown = env.guild(&["receipts", "show", receipt, "--json"]).stdout();
    assert!(!shown.contains("hunter2"), "a secret is in the receipt: {shown}");
    assert_eq!(crate::envelope(&shown)["data"]["stdout"], "hello you\n");
}

#[test]
fn what_would_run_is_shown_and_nothing_is_written() {
    expect![[r#"
        $ guild run greet --param who=you --param token=hunter2 --dry-run
        skill        greet
        agent        default
        source       project · [ROOT]/project/.guild/skills/greet/SKILL.md
        hash         [SHA256 1]
        command      bash -lc 'cd /skill && bash greet.sh --who you --times 1 --token '\''<secret>'\'''
        parameter    times = 1
        parameter    token = {"secret":"hmac-[SHA256 2]"}
        parameter    who = "you"
        workspace    none
        network      none
        image        default ([SHA256 3])
        limits       20 s, 1 CPU, 512 MB, 128 processes
        [stderr]
        a person would be asked
        $ guild run notes tidy rooms --dry-run
        skill        notes
        agent        default
        source       project · [ROOT]/project/.guild/skills/notes/SKILL.md
        hash         [SHA256 4]
        workspace    none
        network      none
        [stderr]
        it needs no approval
        $ guild receipts list
        [stderr]
        0 receipts
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild run greet --param who=you --param token=hunter2 --dry-run
        guild run notes tidy rooms --dry-run
        guild receipts list
        ",
    ));
}

#[test]
fn a_path_means_what_it_means_to_the_caller() {
    expect![[r#"
        $ guild run count --param path=notes.txt --approve once
        {"lines": 2}
        $ cd sub/deeper
        $ guild run count --param path=../../notes.txt --approve once
        {"lines": 2}
        $ guild run count --param path=/etc/passwd --approve once
        [stderr]
        error[invalid_params]: the path `/etc/passwd` lies outside the workspace [ROOT]/project
        [exit 2]
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild run count --param path=notes.txt --approve once
        cd sub/deeper
        guild run count --param path=../../notes.txt --approve once
        guild run count --param path=/etc/passwd --approve once
        ",
    ));
}

#[test]
fn the_result_is_what_the_script_left_for_it() {
    let env = world();
    let envelope = data(&env, &["respond", "--approve", "once", "--out", "kept"]);
    assert_eq!(envelope["data"]["output"], serde_json::json!({"ok": true}));
    assert_eq!(envelope["data"]["stdout"], "talking\n");
    let names: Vec<&str> = envelope["data"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["asked.json", "response.json"]);
    let asked = std::fs::read_to_string(env.project().join("kept/asked.json")).unwrap();
    assert!(asked.contains("\"skill\":\"respond\""), "{asked}");
}

#[test]
fn what_a_script_writes_waits_for_a_person() {
    let env = world();
    expect![[r#"
        $ guild run write --approve always
        [stderr]
        2 changes to [ROOT]/project kept as [CHG 1]; `guild changes show [CHG 1]` shows, `apply` or `drop` decides
        $ guild changes list
        ID                              CHANGES   DIRECTORY
        [CHG 1]  +1 ~1 -0  [ROOT]/project
        [stderr]
        1 change set
    "#]].assert_eq(&shown(&env, "guild run write --approve always\nguild changes list"));
    assert_eq!(std::fs::read_to_string(env.project().join("notes.txt")).unwrap(), "one\ntwo\n");
    assert!(!env.project().join("new.txt").exists());
}

#[test]
fn a_script_has_what_its_contract_declares_and_nothing_else() {
    expect![[r#"
        $ LANGUAGE=en SECRET=x guild run walls --param probe=environment --approve always
        HOME LANG LANGUAGE OLDPWD PATH PWD SHLVL _
        $ guild run walls --param probe=write
        touch: cannot touch '/workspace/x': Read-only file system
        touch: cannot touch '/skill/x': Read-only file system
        [stderr]
        error[script_failed]: the script ended with exit code 1
        [exit 1]
        $ guild run walls --param probe=network
        PermissionError: [Errno 1] Operation not permitted
        $ guild run walls --param probe=home
        ls: cannot access '/root': No such file or directory
        ls: cannot access '/home': No such file or directory
        [stderr]
        error[script_failed]: the script ended with exit code 2
        [exit 1]
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        LANGUAGE=en SECRET=x guild run walls --param probe=environment --approve always
        guild run walls --param probe=write
        guild run walls --param probe=network
        guild run walls --param probe=home
        ",
    ));
}

#[test]
fn a_parameter_can_choose_the_script_and_no_other_place() {
    expect![[r#"
        $ guild run pick --param mode=fast --param x=1 --approve once
        fast --x 1
        $ guild run pick --param mode=slow
        [stderr]
        error[script_not_found]: there is no script `run_slow.sh` in the skill
        [exit 1]
        $ guild run pick --param mode=../../../etc/x
        [stderr]
        error[invalid_params]: the parameters make `script` lead out of the skill
        [exit 2]
        $ guild run pick
        [stderr]
        error[invalid_params]: `script` needs the parameter `mode`, which is not given
        [exit 2]
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild run pick --param mode=fast --param x=1 --approve once
        guild run pick --param mode=slow
        guild run pick --param mode=../../../etc/x
        guild run pick
        ",
    ));
}

#[test]
fn instructions_are_rendered_without_asking_anybody() {
    expect![[r#"
        $ guild run notes tidy rooms
        # Skill: notes
        > How to write notes
        (scope: project · [ROOT]/project/.guild/skills/notes/SKILL.md)

        Write about tidy rooms with care, one thought to a line.
        $ guild run notes --agent reviewer
        # Skill: notes
        > How to write notes
        (scope: project · [ROOT]/project/.guild/skills/notes/SKILL.md)

        Write about  with care, one thought to a line.
        $ guild receipts list
        ID                              AT                        KIND  CODE  AGENT     SKILL
        [RCP 1]  [TIME]  load  ok    reviewer  notes
        [RCP 2]  [TIME]  load  ok    default   notes
        [stderr]
        2 receipts
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild run notes tidy rooms
        guild run notes --agent reviewer
        guild receipts list
        ",
    ));
}

#[test]
fn a_tool_is_called_typed_on_both_sides() {
    expect![[r#"
        $ guild run add 20 + 42
        62
        $ guild run add --params-json '{"a": 2, "b": 2}' --json
        {"status":"ok","code":"ok","message":"4","data":{"skill":"add","kind":"tool","exit_code":0,"stdout":"","stderr":"","wall_time_ms":0,"truncated":false,"timed_out":false,"oom":false,"container_id":null,"owned_container":false,"backend":null,"security_hash":"[SHA256 1]","run":null,"receipt":"[RCP 1]","output":{"value":4.0,"display":"4"},"files":[],"left_behind":[],"changes":[],"unenforced":[],"errors":[],"findings":[],"request":null,"plan":null}}
        $ guild run files --param skill=notes --param path=SKILL.md
        ---
        name: notes
        description: How to write notes
        ---
        Write about $ARGUMENTS with care, one thought to a line.
        $ guild run files --param skill=notes --param path=../greet/greet.sh
        [stderr]
        error[tool_input_invalid]: skill `notes` has no file `../greet/greet.sh`; `list_skill_files` lists them
        [exit 2]
        $ guild receipts list
        ID                              AT                        KIND  CODE                AGENT    SKILL
        [RCP 2]  [TIME]  load  tool_input_invalid  default  files
        [RCP 3]  [TIME]  load  ok                  default  files
        [RCP 1]  [TIME]  load  ok                  default  add
        [RCP 4]  [TIME]  load  ok                  default  add
        [stderr]
        4 receipts
    "#]].assert_eq(&shown(
        &world(),
        r#"
        guild run add 20 + 42
        guild run add --params-json '{"a": 2, "b": 2}' --json
        guild run files --param skill=notes --param path=SKILL.md
        guild run files --param skill=notes --param path=../greet/greet.sh
        guild receipts list
        "#,
    ));
}

#[test]
fn another_agent_and_another_workspace_ask_again() {
    expect![[r#"
        $ guild run greet --param who=you --approve always --agent reviewer
        hello you
        $ guild run greet --param who=you --agent reviewer
        hello you
        $ guild run greet --param who=you
        [stderr]
        error[approval_required]: a person must approve it first; `guild approve [APR 1]` answers
        [exit 3]
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild run greet --param who=you --approve always --agent reviewer
        guild run greet --param who=you --agent reviewer
        guild run greet --param who=you
        ",
    ));
}

#[test]
fn a_changed_skill_is_another_skill() {
    let env = world();
    let first = shown(&env, "guild run greet --param who=you --approve always");
    std::fs::write(env.project().join(".guild/skills/greet/greet.sh"), "echo changed\n").unwrap();
    expect![[r#"
        $ guild run greet --param who=you --approve always
        hello you
        $ guild run greet --param who=you
        [stderr]
        error[security_hash_mismatch]: another state of the skill was approved, and it has changed since; `guild approve [APR 1]` answers
        [exit 3]
        $ guild run greet --param who=you --approve once
        changed
    "#]].assert_eq(
        &(first
            + &shown(
                &env,
                "guild run greet --param who=you\nguild run greet --param who=you --approve once",
            )),
    );
}

#[test]
fn a_denial_sticks_until_the_skill_changes_or_a_person_lifts_it() {
    let env = world();
    let request =
        data(&env, &["greet", "--param", "who=you"])["data"]["request"].as_str().unwrap().to_owned();
    assert_eq!(env.guild(&["deny", &request]).code(), Some(0));
    expect![[r#"
        $ guild run greet --param who=you
        [stderr]
        error[approval_denied]: a person has denied skill `greet` in this state ([GRT 1]); `guild grants lift [GRT 1]` takes that back
        [exit 3]
        $ guild run greet --param who=me --approve once
        [stderr]
        error[approval_denied]: a person has denied skill `greet` in this state ([GRT 1]); `guild grants lift [GRT 1]` takes that back
        [exit 3]
    "#]].assert_eq(&shown(
        &env,
        "guild run greet --param who=you\nguild run greet --param who=me --approve once",
    ));
    std::fs::write(env.project().join(".guild/skills/greet/greet.sh"), "echo changed\n").unwrap();
    expect![[r#"
        $ guild run greet --param who=you --approve once
        changed
    "#]]
    .assert_eq(&shown(&env, "guild run greet --param who=you --approve once"));
}

#[test]
fn an_answer_that_another_run_left_is_not_taken_for_this_ones() {
    let env = world();
    let run = |skill: &[&str]| data(&env, &[skill, &["--out", "kept", "--approve", "once"]].concat());
    assert_eq!(run(&["respond"])["data"]["output"]["ok"], true);
    let greeted = run(&["greet", "--param", "who=you"]);
    assert_eq!(greeted["data"]["output"], "hello you\n", "{greeted}");
    let again = run(&["respond"]);
    assert_eq!(again["code"], "already_exists", "{again}");
    assert!(again["data"]["output"].is_null(), "{again}");
}
