//! `[sandbox]`: what a person sets, and how little of it a project may.

use super::super::Layer::{Project, System, User};
use super::{check, check_user};
use expect_test::expect;

#[test]
fn everything_that_can_be_set() {
    check_user(
        r#"
[sandbox]
backend = "Podman"
role = "code_analysis"
limits = "best-effort"
cpus = 0.5
memory-mb = 1024
pids = 64
timeoutSeconds = 30
output_bytes = 4096
scratch_mb = 16

[sandbox.roles.code_analysis]
image = "docker.io/library/python:3.13-slim"
description = "Has Python"

[sandbox.roles.mine]
directory = "~/roots/mine"

[sandbox.roles.default]
root = "host"

[sandbox.ceilings]
containers = 2
cpus = 3
memory_mb = 2048

[sandbox.images]
max_bytes = 1073741824
max_files = 1000
insecure_registries = ["registry.lan:5000"]
"#,
        expect![[r#"
            sandbox: {"backend":"podman","role":"code_analysis","roles":{"code_analysis":{"root":{"image":"docker.io/library/python:3.13-slim"},"description":"Has Python"},"default":{"root":"host","description":null},"mine":{"root":{"directory":{"path":"~/roots/mine","layer":"user","file":"/home/u/c.toml"}},"description":null}},"limits":"best-effort","usage":{"cpus":0.5,"memory_mb":1024,"pids":64,"timeout_seconds":30,"output_bytes":4096,"scratch_mb":16},"ceilings":{"containers":2,"cpus":3.0,"memory_mb":2048},"images":{"max_bytes":1073741824,"max_files":1000,"insecure_registries":["registry.lan:5000"]}}
        "#]],
    );
}

#[test]
fn an_owners_file_overrides_key_by_key_and_role_by_role() {
    check(
        &[
            (
                System,
                "[sandbox]\nmemory_mb = 256\npids = 10\n[sandbox.roles.a]\nimage = 'one'\n[sandbox.roles.b]\nimage = 'two'",
            ),
            (User, "[sandbox]\nmemory_mb = 2048\n[sandbox.roles.a]\ndirectory = 'roots/a'\n"),
        ],
        expect![[r#"
            sandbox: {"backend":"auto","role":"default","roles":{"a":{"root":{"directory":{"path":"roots/a","layer":"user","file":"/home/u/c.toml"}},"description":null},"b":{"root":{"image":"two"},"description":null},"default":{"root":"host","description":null}},"limits":"strict","usage":{"cpus":1.0,"memory_mb":2048,"pids":10,"timeout_seconds":600,"output_bytes":1048576,"scratch_mb":256},"ceilings":{"containers":4,"cpus":4.0,"memory_mb":8192},"images":{"max_bytes":17179869184,"max_files":1000000,"insecure_registries":[]}}
        "#]],
    );
}

#[test]
fn a_role_that_cannot_be_read_never_becomes_another_root() {
    check_user(
        "[sandbox.roles]\nempty = {}\nboth = {root = 'host', image = 'x'}\nelsewhere = {root = 'guest'}\nblank = {image = ' '}\nword = 'host'\nslip = {imgae = 'x'}\ndefault = {image = [1]}\n",
        expect![[r#"
            sandbox: {"backend":"auto","role":"default","roles":{"blank":{"root":"unreadable","description":null},"both":{"root":"unreadable","description":null},"default":{"root":"unreadable","description":null},"elsewhere":{"root":"unreadable","description":null},"empty":{"root":"unreadable","description":null},"slip":{"root":"unreadable","description":null},"word":{"root":"unreadable","description":null}},"limits":"strict","usage":{"cpus":1.0,"memory_mb":512,"pids":128,"timeout_seconds":600,"output_bytes":1048576,"scratch_mb":256},"ceilings":{"containers":4,"cpus":4.0,"memory_mb":8192},"images":{"max_bytes":17179869184,"max_files":1000000,"insecure_registries":[]}}
            /home/u/c.toml:2:9: warning[config_value_invalid]: `sandbox.roles.empty` says 0 of `root`, `directory` and `image`, but takes one
              hint: write root = "host", directory = "/path" or image = "name"
            /home/u/c.toml:3:8: warning[config_value_invalid]: `sandbox.roles.both` says 2 of `root`, `directory` and `image`, but takes one
              hint: write root = "host", directory = "/path" or image = "name"
            /home/u/c.toml:4:21: warning[config_value_invalid]: `sandbox.roles.elsewhere.root` is text, but takes one of host; it was ignored
              hint: write one of host
            /home/u/c.toml:5:18: warning[config_value_invalid]: `sandbox.roles.blank.image` has an entry that is no text; it was ignored
              hint: write text that is not empty
            /home/u/c.toml:6:8: warning[config_value_invalid]: `sandbox.roles.word` is text, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:7:8: warning[config_value_invalid]: `sandbox.roles.slip` says 0 of `root`, `directory` and `image`, but takes one
              hint: write root = "host", directory = "/path" or image = "name"
            /home/u/c.toml:7:9: warning[config_key_unknown]: `sandbox.roles.slip.imgae` is not known; it was ignored
              hint: did you mean `image`?
            /home/u/c.toml:8:20: warning[config_value_invalid]: `sandbox.roles.default.image` has an entry that is no text; it was ignored
              hint: write text that is not empty
        "#]],
    );
}

#[test]
fn values_out_of_their_bounds_are_told_and_ignored() {
    check_user(
        "[sandbox]\nbackend = 'lxc'\nlimits = 'none'\ncpus = 0\nmemory_mb = 1\npids = -1\ntimeout_seconds = 'long'\noutput_bytes = 1\nscratch_mb = 0.5\nceilings = 3\n[sandbox.images]\nmax_bytes = 1\n",
        expect![[r#"
            /home/u/c.toml:2:11: warning[config_value_invalid]: `sandbox.backend` is text, but takes one of auto, embedded, docker, podman; it was ignored
              hint: write one of auto, embedded, docker, podman
            /home/u/c.toml:3:10: warning[config_value_invalid]: `sandbox.limits` is text, but takes one of strict, best-effort; it was ignored
              hint: write one of strict, best-effort
            /home/u/c.toml:4:8: warning[config_value_invalid]: `sandbox.cpus` is a number, but takes a number from 0.01 to 1024; it was ignored
              hint: write a number from 0.01 to 1024
            /home/u/c.toml:5:13: warning[config_value_invalid]: `sandbox.memory_mb` is a number, but takes a whole number from 16 to 1048576; it was ignored
              hint: write a whole number from 16 to 1048576
            /home/u/c.toml:6:8: warning[config_value_invalid]: `sandbox.pids` is a number, but takes a whole number from 1 to 1000000; it was ignored
              hint: write a whole number from 1 to 1000000
            /home/u/c.toml:7:19: warning[config_value_invalid]: `sandbox.timeout_seconds` is text, but takes a whole number from 1 to 604800; it was ignored
              hint: write a whole number from 1 to 604800
            /home/u/c.toml:8:16: warning[config_value_invalid]: `sandbox.output_bytes` is a number, but takes a whole number from 1024 to 1073741824; it was ignored
              hint: write a whole number from 1024 to 1073741824
            /home/u/c.toml:9:14: warning[config_value_invalid]: `sandbox.scratch_mb` is a number, but takes a whole number from 1 to 1048576; it was ignored
              hint: write a whole number from 1 to 1048576
            /home/u/c.toml:10:12: warning[config_value_invalid]: `sandbox.ceilings` is a number, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:12:13: warning[config_value_invalid]: `sandbox.images.max_bytes` is a number, but takes a whole number from 1048576 to 1099511627776; it was ignored
              hint: write a whole number from 1048576 to 1099511627776
        "#]],
    );
    check_user(
        "[sandbox]\ncpus = nan\n",
        expect![[r#"
        /home/u/c.toml:2:8: warning[config_value_invalid]: `sandbox.cpus` is a number, but takes a number from 0.01 to 1024; it was ignored
          hint: write a number from 0.01 to 1024
    "#]],
    );
}

#[test]
fn a_project_chooses_a_known_role_and_smaller_limits() {
    check(
        &[
            (User, "[sandbox]\nlimits = 'best-effort'\n[sandbox.roles.py]\nimage = 'python'\n"),
            (
                Project,
                "[sandbox]\nrole = 'py'\nlimits = 'strict'\ncpus = 0.25\nmemory_mb = 64\npids = 8\ntimeout_seconds = 5\noutput_bytes = 2048\nscratch_mb = 8\n",
            ),
        ],
        expect![[r#"
            sandbox: {"backend":"auto","role":"py","roles":{"default":{"root":"host","description":null},"py":{"root":{"image":"python"},"description":null}},"limits":"strict","usage":{"cpus":0.25,"memory_mb":64,"pids":8,"timeout_seconds":5,"output_bytes":2048,"scratch_mb":8},"ceilings":{"containers":4,"cpus":4.0,"memory_mb":8192},"images":{"max_bytes":17179869184,"max_files":1000000,"insecure_registries":[]}}
        "#]],
    );
}

#[test]
fn a_project_widens_nothing() {
    check(
        &[
            (User, "[sandbox.roles.python]\nimage = 'python'\n"),
            (
                Project,
                "[sandbox]\nbackend = 'docker'\nrole = 'pyhton'\nlimits = 'best-effort'\ncpus = 1.5\nmemory_mb = 513\npids = 129\ntimeout_seconds = 601\noutput_bytes = 1048577\nscratch_mb = 257\n[sandbox.roles.python]\ndirectory = '.'\n[sandbox.ceilings]\ncontainers = 1\n[sandbox.images]\nmax_bytes = 1048576\n",
            ),
        ],
        expect![[r#"
            sandbox: {"backend":"auto","role":"default","roles":{"default":{"root":"host","description":null},"python":{"root":{"image":"python"},"description":null}},"limits":"strict","usage":{"cpus":1.0,"memory_mb":512,"pids":128,"timeout_seconds":600,"output_bytes":1048576,"scratch_mb":256},"ceilings":{"containers":4,"cpus":4.0,"memory_mb":8192},"images":{"max_bytes":17179869184,"max_files":1000000,"insecure_registries":[]}}
            guild.toml:2:1: warning[config_key_untrusted]: `sandbox.backend` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:11:10: warning[config_key_untrusted]: `sandbox.roles` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:13:10: warning[config_key_untrusted]: `sandbox.ceilings` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:15:10: warning[config_key_untrusted]: `sandbox.images` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:8: warning[config_value_invalid]: `sandbox.role` names `pyhton`, which none of your own files declares; it was ignored
              hint: did you mean `python`?
            guild.toml:4:10: warning[config_key_untrusted]: `sandbox.limits` cannot be relaxed; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:5:8: warning[config_key_untrusted]: `sandbox.cpus` cannot be raised from 1 to 1.5; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:6:13: warning[config_key_untrusted]: `sandbox.memory_mb` cannot be raised from 512 to 513; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:7:8: warning[config_key_untrusted]: `sandbox.pids` cannot be raised from 128 to 129; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:8:19: warning[config_key_untrusted]: `sandbox.timeout_seconds` cannot be raised from 600 to 601; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:9:16: warning[config_key_untrusted]: `sandbox.output_bytes` cannot be raised from 1048576 to 1048577; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:10:14: warning[config_key_untrusted]: `sandbox.scratch_mb` cannot be raised from 256 to 257; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
    check(
        &[(Project, "[sandbox]\nrole = 'elsewhere'\n")],
        expect![[r#"
        guild.toml:2:8: warning[config_value_invalid]: `sandbox.role` names `elsewhere`, which none of your own files declares; it was ignored
          hint: the roles known here are: default
    "#]],
    );
}

#[test]
fn what_an_owner_relaxed_a_project_may_keep_relaxed() {
    check(
        &[(User, "[sandbox]\nlimits = 'best-effort'\n"), (Project, "[sandbox]\nlimits = 'best-effort'\n")],
        expect![[r#"
            sandbox: {"backend":"auto","role":"default","roles":{"default":{"root":"host","description":null}},"limits":"best-effort","usage":{"cpus":1.0,"memory_mb":512,"pids":128,"timeout_seconds":600,"output_bytes":1048576,"scratch_mb":256},"ceilings":{"containers":4,"cpus":4.0,"memory_mb":8192},"images":{"max_bytes":17179869184,"max_files":1000000,"insecure_registries":[]}}
        "#]],
    );
}
