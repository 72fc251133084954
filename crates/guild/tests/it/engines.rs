//! Containers of Docker and Podman from the command line: the same commands, the same answers, another runtime.

use crate::roles::write_busybox;
use crate::{env, envelope};
use expect_test::expect;
use guild_testkit::{Docker, Env, Podman, session};

/// Makes of each function a test with Docker and one with Podman.
macro_rules! with_both {
    ($(fn $name:ident($env:ident) $body:block)*) => {
        $(fn $name($env: &Env) $body)*

        mod docker {
            $(#[test] fn $name() {
                let docker = guild_testkit::Docker::start();
                super::$name(&super::world("docker").with_var("DOCKER_HOST", docker.host()));
            })*
        }

        mod podman {
            $(#[test] fn $name() {
                let podman = guild_testkit::Podman::start();
                super::$name(&super::world("podman").with_var("CONTAINER_HOST", podman.host()));
            })*
        }
    };
}

with_both! {
    fn a_command_sees_what_it_is_shown_and_its_code_is_passed_on(env) {
        expect![[r#"
            $ guild sandbox run -- echo hi
            hi
            $ guild sandbox run --mount .:/workspace -- cat /workspace/notes.txt
            hello
            $ guild sandbox run --mount .:/workspace -- sh -c 'echo more >> /workspace/notes.txt'
            [stderr]
            sh: 1: cannot create /workspace/notes.txt: Permission denied
            [exit 2]
            $ guild sandbox run --env GREETING=hi -- sh -c 'env | sort'
            GREETING=hi
            HOME=/tmp
            LANG=C.UTF-8
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
            PWD=/
            $ guild sandbox run -- sh -c 'kill -9 $$'
            [exit 137]
            $ guild sandbox run --timeout 2s -- sleep 99
            [stderr]
            its time was up
            [exit 124]
            $ guild sandbox run --memory 32M -- python3 -c 'bytearray(99 << 20)'
            [stderr]
            memory ran out, and at least one of its processes was killed for it
            [exit 137]
            $ guild sandbox run -- nothing
            [stderr]
            error[sandbox_exec_failed]: cannot execute `nothing` in the container: No such file or directory (os error 2)
            [exit 127]
        "#]]
        .assert_eq(&session(
            env,
            "guild sandbox run -- echo hi\nguild sandbox run --mount .:/workspace -- cat /workspace/notes.txt\nguild sandbox run --mount .:/workspace -- sh -c 'echo more >> /workspace/notes.txt'\nguild sandbox run --env GREETING=hi -- sh -c 'env | sort'\nguild sandbox run -- sh -c 'kill -9 $$'\nguild sandbox run --timeout 2s -- sleep 99\nguild sandbox run --memory 32M -- python3 -c 'bytearray(99 << 20)'\nguild sandbox run -- nothing",
        ));
    }

    fn the_answer_names_the_runtime_and_files_come_out(env) {
        let script = "echo out > /output/file; ln -s /etc/passwd /output/link";
        let output = env.guild(&["sandbox", "run", "--json", "--out", "kept", "--", "sh", "-c", script]);
        let data = envelope(&output.stdout())["data"].clone();
        assert!(configured(env).contains(data["backend"].as_str().unwrap()), "{data}");
        assert_eq!((&data["files"], &data["left_behind"][0]["path"]), (&serde_json::json!(["file"]), &"link".into()));
        assert_eq!(std::fs::read_to_string(env.join("project/kept/file")).unwrap(), "out\n");
    }

    fn changes_are_kept_until_a_person_decides(env) {
        let script = "cd /workspace && echo more >> notes.txt && echo new > new.txt";
        let output = env.guild(&["sandbox", "run", "--json", "--mount", ".:/workspace:cow", "--", "sh", "-c", script]);
        let changes = envelope(&output.stdout())["data"]["changes"].clone();
        assert_eq!((&changes[0]["added"], &changes[0]["changed"], &changes[0]["deleted"]), (&1.into(), &1.into(), &0.into()), "{output}");
        assert_eq!(std::fs::read_to_string(env.join("project/notes.txt")).unwrap(), "hello\n");
        let id = changes[0]["id"].as_str().unwrap();
        assert_eq!(env.guild(&["changes", "apply", id]).code(), Some(0));
        assert_eq!(std::fs::read_to_string(env.join("project/notes.txt")).unwrap(), "hello\nmore\n");
        assert_eq!(std::fs::read_to_string(env.join("project/new.txt")).unwrap(), "new\n");
    }

    fn a_skill_runs_under_its_contract_and_its_changes_wait(env) {
        env.write(SKILL);
        let output = env.guild(&["run", "append", "--param", "path=notes.txt", "--approve", "once", "--json"]);
        let reply = envelope(&output.stdout());
        let data = &reply["data"];
        assert_eq!((&reply["code"], &data["output"]["lines"]), (&"ok".into(), &2.into()), "{output}");
        assert!(configured(env).contains(data["backend"].as_str().unwrap()), "{output}");
        assert_eq!((&data["changes"][0]["changed"], data["changes"].as_array().unwrap().len()), (&1.into(), 1), "{output}");
        assert_eq!(std::fs::read_to_string(env.join("project/notes.txt")).unwrap(), "hello\n");
        let again = env.guild(&["run", "append", "--param", "path=notes.txt", "--json"]);
        assert_eq!(envelope(&again.stdout())["code"], "approval_required", "{again}");
        assert_eq!(env.guild(&["receipts", "verify"]).code(), Some(0));
    }

    fn an_image_that_is_removed_is_gone_from_the_engine(env) {
        env.write(&format!("//- /home/.config/guild/config.toml\n{}[sandbox.roles.tools]\nimage = \"busybox\"\n", configured(env)));
        write_busybox(env);
        assert_eq!(env.guild(&["image", "import", "busybox.tar"]).code(), Some(0));
        let ran = env.guild(&["sandbox", "run", "--role", "tools", "--", "/bin/busybox", "echo", "hi"]);
        assert_eq!(ran.stdout(), "hi\n", "{ran}");
        let removed = env.guild(&["image", "remove", "busybox", "--force", "--json"]);
        let data = envelope(&removed.stdout())["data"].clone();
        assert_eq!((data["forgotten"].as_array().unwrap().len(), &data["copies_left"]), (1, &serde_json::json!([])), "{removed}");
        assert!(configured(env).contains(data["forgotten"][0].as_str().unwrap()), "{removed}");
    }

    fn a_container_lives_on_between_commands_and_ends_when_it_is_stopped(env) {
        let launched = env.guild(&["sandbox", "launch", "--timeout", "60s"]);
        assert_eq!(launched.code(), Some(0), "{launched}");
        let id = launched.stdout().trim().to_owned();
        let script = "guild sandbox exec $C -- sh -c 'echo kept > /tmp/x'\nguild sandbox exec $C -- cat /tmp/x\nguild sandbox exec $C --timeout 1s -- sleep 99\nguild sandbox stop $C\nguild sandbox exec $C -- true\nguild sandbox list";
        expect![[r#"
            $ guild sandbox exec $C -- sh -c 'echo kept > /tmp/x'
            $ guild sandbox exec $C -- cat /tmp/x
            kept
            $ guild sandbox exec $C --timeout 1s -- sleep 99
            [stderr]
            its time was up
            [exit 124]
            $ guild sandbox stop $C
            $ guild sandbox exec $C -- true
            [stderr]
            error[container_not_found]: no container `$C` is running; `guild sandbox list` shows those that are
            [exit 1]
            $ guild sandbox list
            [stderr]
            0 containers
        "#]]
        .assert_eq(&session(env, &script.replace("$C", &id)).replace(&id, "$C"));
    }
}

/// A skill that appends a line to a file, and says how many there are then.
const SKILL: &str = r#"
//- /project/.git/
//- /project/.guild/skills/append/SKILL.md
---
name: append
description: Appends a line
script: append.py
params: {path: {type: string, format: path, required: true}}
outputs: {type: object, properties: {lines: {type: integer}}, required: [lines]}
capabilities: {workspace: write}
---
Append.
//- /project/.guild/skills/append/append.py
import json, sys
path = sys.argv[sys.argv.index("--path") + 1]
with open(path, "a") as file:
    file.write("more\n")
with open(path) as file:
    print(json.dumps({"lines": len(file.readlines())}))
"#;

/// What chooses the runtime.
fn configured(env: &Env) -> String {
    std::fs::read_to_string(env.home().join(".config/guild/config.toml")).unwrap()
}

/// A project, and a configuration that chooses the runtime.
fn world(backend: &str) -> Env {
    env(&format!(
        "//- /project/notes.txt\nhello\n//- /home/.config/guild/config.toml\n[sandbox]\nbackend = \"{backend}\"\n"
    ))
}

#[test]
fn doctor_has_a_line_for_each_runtime() {
    let (docker, podman) = (Docker::start(), Podman::start());
    let env = world("auto").with_var("DOCKER_HOST", docker.host()).with_var("CONTAINER_HOST", podman.host());
    let output = env.guild(&["doctor"]).stdout();
    for (name, title) in [("docker", "Docker"), ("podman", "Podman")] {
        assert!(output.contains(&format!("good  {name}         usable ({title} ")), "{output}");
    }
}

#[test]
fn podman_without_root_refuses_what_it_would_not_limit() {
    let podman = Podman::rootless();
    let env = world("podman").with_var("CONTAINER_HOST", podman.host());
    expect![[r#"
        $ guild sandbox run -- echo hi
        [stderr]
        error[sandbox_limit_unenforceable]: podman cannot enforce the limit on cpus: Podman without root ignores limits on cgroup v1; run Podman as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1); or set `sandbox.limits = "best-effort"` in your own configuration to run without it
        [exit 4]
    "#]]
    .assert_eq(&session(&env, "guild sandbox run -- echo hi"));
}

#[test]
fn where_the_embedded_runtime_may_not_run_an_engine_takes_its_place() {
    let docker = Docker::start();
    // Root of a namespace without further ones.
    let forbidden = ["--user", "--map-root-user", "/bin/sh", "-c", FORBID, env!("CARGO_BIN_EXE_guild")];
    let env = Env::new("/usr/bin/unshare").with_var("DOCKER_HOST", docker.host());
    env.write("//- /project/notes.txt\nhello\n");
    let run = |arguments: &[&str]| env.guild(&[forbidden.as_slice(), arguments].concat());
    let output = run(&["sandbox", "run", "--json", "--mount", ".:/w", "--", "cat", "/w/notes.txt"]);
    let data = envelope(&output.stdout())["data"].clone();
    assert_eq!((&data["backend"], &data["stdout"]), (&"docker".into(), &"hello\n".into()), "{output}");
    let doctor = run(&["doctor"]).stdout();
    assert!(
        doctor.contains("not usable: user namespaces are disabled by user.max_user_namespaces"),
        "{doctor}"
    );
    assert!(doctor.contains(", or use docker or podman"), "{doctor}");
    let named = run(&["sandbox", "run", "--backend", "embedded", "--", "true"]);
    assert!(named.stderr().starts_with("error[sandbox_unavailable]: embedded cannot"), "{named}");
}

/// Forbids user namespaces, and becomes the program in its arguments.
const FORBID: &str = r#"echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@""#;
