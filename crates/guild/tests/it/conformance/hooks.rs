//! The hooks of a plugin's own life: approved like any code, run in a container, and what their failure means.

use crate::envelope;
use crate::registry::{shown, world};
use expect_test::{expect, expect_file};

#[test]
fn a_hook_is_approved_and_run_before_its_plugin_is_on() {
    expect_file!["a_hook_is_approved_and_run_before_its_plugin_is_on.txt"].assert_eq(&shown(
        &world(),
        "
        guild enable acme
        guild plugins
        guild enable acme --approve once
        guild list --source plugin
        guild enable acme
        guild disable acme --approve once
        guild run acme/greet
        guild receipts list
        guild receipts verify
        ",
    ));
}

#[test]
fn a_hook_that_fails_leaves_an_error_and_the_rest_untouched() {
    expect![[r#"
        $ guild enable faulty --approve once
        [stderr]
        error[hook_failed]: `onEnable` of plugin `faulty` failed: the script ended with exit code 5 (no database)
        [exit 1]
        $ guild enable evil --approve once
        [stderr]
        error[security_preflight_denied]: `onEnable` of plugin `evil` was not run: the vet denies plugin `evil`; `guild vet` on its directory says why
        [exit 3]
        $ guild enable vague --approve once
        [stderr]
        error[script_not_found]: `onEnable` of plugin `vague` was not run: there is no file `gone.sh` in the plugin
        [exit 1]
        $ guild disable vague --approve once
        [stderr]
        error[hook_failed]: `onDisable` of plugin `vague` is neither a file nor a list of a program and its arguments
        [exit 1]
        $ guild plugins
        NAME    VERSION  SOURCE   SKILLS  STATE        DESCRIPTION
        acme    1.0.0    project  1       off          Prepares itself
        adder   1.0.0    project  0       off          Adds in its own way
        base    1.2.0    project  1       on           What others build on
        evil    1.0.0    project  0       skills only  Installs itself
        faulty  1.0.0    project  0       error        Fails to prepare itself
        gnir    1.0.0    project  0       off          The other half
        house   2.0.0    project  0       off          Has something of everything
        lost    1.0.0    project  0       off          Wants what is not here
        newer   1.0.0    project  0       off          Wants more than there is
        ring    1.0.0    project  0       off          Half of a circle
        top     1.0.0    project  0       on           Builds on base
        twin    1.0.0    project  0       off          Measures too
        vague   1.0.0    project  0       skills only  Names a hook that is not there
        plugin faulty is off because of an error: `onEnable` failed: the script ended with exit code 5 (no database)
        [ROOT]/project/.guild/plugins/needy:1:1: warning[plugin_env_missing]: the plugin `needy` needs `NEEDY_KEY` in the environment; it was skipped
          hint: set `NEEDY_KEY`
        [ROOT]/project/.guild/plugins/vague/guild.plugin.json:2:48: error[hooks_invalid]: `hooks.onDisable` is a number, but takes a file, a list of words, or an object with `entrypoint` or `command`
          hint: write a file, a list of words, or an object with `entrypoint` or `command`
        [stderr]
        13 plugins; `guild enable NAME` adds what one with `skills only` brings besides
        $ guild receipts verify
        [stderr]
        7 receipts verified
    "#]].assert_eq(&shown(
        &world(),
        "
        guild enable faulty --approve once
        guild enable evil --approve once
        guild enable vague --approve once
        guild disable vague --approve once
        guild plugins
        guild receipts verify
        ",
    ));
}

#[test]
fn a_hook_is_told_its_context_and_gets_what_its_plugin_declares() {
    let env = world();
    let enable = env.invocation(&["--json", "enable", "acme", "--approve", "once"]);
    let output = enable.env("ACME_KEY", "k").env("HOME_KEY", "h").env("USER", "ada").output();
    let json = envelope(&output.stdout());
    let mut hook = json["data"]["hook"].clone();
    hook["receipt"] = "[RCP]".into();
    expect![[r#"
        {
          "event": "onEnable",
          "code": "ok",
          "exit_code": 0,
          "output": {
            "success": true,
            "context": {
              "event": "onEnable",
              "plugin": "acme",
              "version": "1.0.0",
              "user": "ada",
              "environment": [
                "ACME_KEY"
              ],
              "config": {}
            },
            "seen": [
              "ACME_KEY"
            ]
          },
          "stderr": "",
          "receipt": "[RCP]"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&hook).unwrap());
}
