//! A project's file is a stranger's: each way it could widen something is refused and told.

use super::super::Layer::{self, Project, System, User};
use super::super::{Settings, merge, read};
use super::check;
use expect_test::{Expect, expect};

#[track_caller]
fn check_project(text: &str, expect: Expect) {
    check(&[(Project, text)], expect);
}

#[test]
fn what_narrows_is_taken() {
    check_project(
        "builtins = false\nplugins = ['./plugins/x', {path = 'y', enabled = false}]\n[skills]\npaths = ['tools/skills', '.']\nextra_paths = ['x']\ndisabled = ['a']\n[skills.entries.b]\nenabled = false\n[agents.x]\nskills = ['c']\n[limits]\nmax_depth = 2\nmax_file_bytes = 2048\nmax_entries = 10\n[prompt]\nbudget = 100\n",
        expect![[r#"
            skill_paths: [{"path":"tools/skills","layer":"project","file":"guild.toml"},{"path":".","layer":"project","file":"guild.toml"}]
            extra_skill_paths: [{"path":"x","layer":"project","file":"guild.toml"}]
            skills: {"a":{"enabled":false,"inject":false,"config":{}},"b":{"enabled":false,"inject":false,"config":{}}}
            plugins: [{"place":{"path":"./plugins/x","layer":"project","file":"guild.toml"},"enabled":true,"settings":{},"hooks":{}},{"place":{"path":"y","layer":"project","file":"guild.toml"},"enabled":false,"settings":{},"hooks":{}}]
            agents: {"default":{"skills":"everything","tools":null},"x":{"skills":{"only":["c"]},"tools":null}}
            builtins: false
            limits: {"max_file_bytes":2048,"max_depth":2,"max_entries":10}
            prompt: {"budget":100,"format":"xml"}
        "#]],
    );
}

#[test]
fn paths_out_of_the_project_are_refused() {
    check_project(
        "plugins = ['/opt/x', {path = '../x'}, 'python:pkg']\n[skills]\npaths = ['~/x', '${HOME}/x', '/etc', '..', 'a/../../b', 'C:\\x', 'fine']\nextra_paths = '~'\n",
        expect![[r#"
            skill_paths: [{"path":"fine","layer":"project","file":"guild.toml"}]
            guild.toml:1:12: warning[config_key_untrusted]: `plugins` names `/opt/x`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:1:30: warning[config_key_untrusted]: `plugins` names `../x`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:1:39: warning[config_key_untrusted]: `plugins` names `python:pkg`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:10: warning[config_key_untrusted]: `skills.paths` names `~/x`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:17: warning[config_key_untrusted]: `skills.paths` names `${HOME}/x`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:30: warning[config_key_untrusted]: `skills.paths` names `/etc`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:38: warning[config_key_untrusted]: `skills.paths` names `..`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:44: warning[config_key_untrusted]: `skills.paths` names `a/../../b`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:57: warning[config_key_untrusted]: `skills.paths` names `C:\x`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:4:15: warning[config_key_untrusted]: `skills.extra_paths` names `~`, which leads out of the project; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
    check_project(
        "[plugins]\npaths = ['~/x']\nextra_paths = ['a/..']\n",
        expect![[r#"
        guild.toml:2:10: warning[config_key_untrusted]: `plugins.paths` names `~/x`, which leads out of the project; a project's file only narrows, so it was ignored
          hint: set it in ~/.config/guild/config.toml, which is yours
        guild.toml:3:16: warning[config_key_untrusted]: `plugins.extra_paths` names `a/..`, which leads out of the project; a project's file only narrows, so it was ignored
          hint: set it in ~/.config/guild/config.toml, which is yours
    "#]],
    );
}

#[test]
fn keys_of_the_owner_are_refused() {
    check_project(
        "[config]\na = 1\n[approvals]\n[ledger]\n[mcp]\n[roles]\n[runners]\n[secrets]\n[serve]\n[sources]\n[trust]\n[vet]\n",
        expect![[r#"
            guild.toml:1:2: warning[config_key_untrusted]: `config` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:2: warning[config_key_untrusted]: `approvals` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:4:2: warning[config_key_untrusted]: `ledger` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:5:2: warning[config_key_untrusted]: `mcp` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:6:2: warning[config_key_untrusted]: `roles` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:7:2: warning[config_key_untrusted]: `runners` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:8:2: warning[config_key_untrusted]: `secrets` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:9:2: warning[config_key_untrusted]: `serve` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:10:2: warning[config_key_untrusted]: `sources` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:11:2: warning[config_key_untrusted]: `trust` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:12:2: warning[config_key_untrusted]: `vet` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
    check_project(
        "[skills.entries.a]\ninject = true\nconfig = {x = 1}\n[prompt]\nformat = 'json'\n[[plugins]]\npath = 'p'\nsettings = {a = 1}\nhooks = {h = {enabled = true}}\n",
        expect![[r#"
            plugins: [{"place":{"path":"p","layer":"project","file":"guild.toml"},"enabled":true,"settings":{},"hooks":{}}]
            guild.toml:2:1: warning[config_key_untrusted]: `skills.entries.a.inject` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:1: warning[config_key_untrusted]: `skills.entries.a.config` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:5:1: warning[config_key_untrusted]: `prompt.format` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:8:1: warning[config_key_untrusted]: `plugins.settings` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:9:1: warning[config_key_untrusted]: `plugins.hooks` cannot be set; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
    check_project(
        "[agents.x]\nskills = ['a']\ntools = ['t:t']\n",
        expect![[r#"
        agents: {"default":{"skills":"everything","tools":null},"x":{"skills":{"only":["a"]},"tools":null}}
        guild.toml:3:9: warning[config_key_untrusted]: `agents.x.tools` cannot be widened to `t:t`; a project's file only narrows, so it was ignored
          hint: set it in ~/.config/guild/config.toml, which is yours
    "#]],
    );
}

#[test]
fn what_an_owner_switched_off_stays_off() {
    check(
        &[
            (System, "[skills]\ndisabled = ['b', 'p:c']"),
            (User, "builtins = false\n[skills]\ndisabled = ['a']"),
            (
                Project,
                "builtins = true\n[skills.entries]\na.enabled = true\nb.enabled = true\n'p:c'.enabled = true\nd.enabled = true",
            ),
        ],
        expect![[r#"
            skills: {"a":{"enabled":false,"inject":false,"config":{}},"b":{"enabled":false,"inject":false,"config":{}},"p/c":{"enabled":false,"inject":false,"config":{}}}
            builtins: false
            guild.toml:1:12: warning[config_key_untrusted]: `builtins` cannot be switched on; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:13: warning[config_key_untrusted]: `skills.entries.a.enabled` cannot be switched on; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:4:13: warning[config_key_untrusted]: `skills.entries.b.enabled` cannot be switched on; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:5:17: warning[config_key_untrusted]: `skills.entries."p/c".enabled` cannot be switched on; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
}

#[test]
fn limits_cannot_be_raised() {
    check_project(
        "[limits]\nmax_depth = 7\nmax_file_bytes = 262145\nmax_entries = 99000000\n[prompt]\nbudget = 8001\n",
        expect![[r#"
            guild.toml:2:13: warning[config_key_untrusted]: `limits.max_depth` cannot be raised from 6 to 7; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:18: warning[config_key_untrusted]: `limits.max_file_bytes` cannot be raised from 262144 to 262145; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:4:15: warning[config_key_untrusted]: `limits.max_entries` cannot be raised from 1000000 to 99000000; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:6:10: warning[config_key_untrusted]: `prompt.budget` cannot be raised from 8000 to 8001; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
    check(
        &[
            (User, "[limits]\nmax_depth = 2"),
            (Project, "[limits]\nmax_depth = 3\n"),
            (Project, "[limits]\nmax_depth = 1\n"),
        ],
        expect![[r#"
            limits: {"max_file_bytes":262144,"max_depth":1,"max_entries":1000000}
            guild.toml:2:13: warning[config_key_untrusted]: `limits.max_depth` cannot be raised from 2 to 3; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
}

#[test]
fn allowlists_cannot_be_widened() {
    check(
        &[
            (
                User,
                "[agents.x]\nskills = ['a']\ntools = ['t:1']\n[agents.none]\n[agents.default]\nskills = []",
            ),
            (
                Project,
                "[agents.x]\nskills = ['a', 'b', 'c', 'd', 'e']\ntools = ['t:1', 't:2']\n[agents.none]\nskills = ['*']\n[agents.new]\nskills = ['a']\n[agents.default]\nskills = ['*']",
            ),
        ],
        expect![[r#"
            agents: {"default":{"skills":{"only":[]},"tools":null},"new":{"skills":{"only":[]},"tools":null},"none":{"skills":{"only":[]},"tools":null},"x":{"skills":{"only":["a"]},"tools":["t:1"]}}
            guild.toml:2:10: warning[config_key_untrusted]: `agents.x.skills` cannot be widened to `b`, `c`, `d` and 1 more; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:3:9: warning[config_key_untrusted]: `agents.x.tools` cannot be widened to `t:2`; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:5:10: warning[config_key_untrusted]: `agents.none.skills` cannot be widened to `*`; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:7:10: warning[config_key_untrusted]: `agents.new.skills` cannot be widened to `a`; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
            guild.toml:9:10: warning[config_key_untrusted]: `agents.default.skills` cannot be widened to `*`; a project's file only narrows, so it was ignored
              hint: set it in ~/.config/guild/config.toml, which is yours
        "#]],
    );
    // A bare name in the owner's list is not exchanged for a plugin's skill of the same name.
    check(
        &[(User, "[agents.x]\nskills = ['a']"), (Project, "[agents.x]\nskills = ['p/a']")],
        expect![[r#"
        agents: {"default":{"skills":"everything","tools":null},"x":{"skills":{"only":["a"]},"tools":null}}
    "#]],
    );
}

#[test]
fn settings_read_as_the_owners_gain_nothing_as_a_projects() {
    let text = "plugins = ['/opt/x']\n[skills]\npaths = ['/etc']\n[skills.entries.a]\ninject = true\nconfig = {x = 1}\n[prompt]\nformat = 'json'\n[config]\na = 1\n[mcp]\n[sandbox]\nbackend = 'docker'\n[sandbox.roles.default]\ndirectory = '/'\n[sandbox.ceilings]\ncontainers = 9\n[sandbox.images]\nmax_files = 1\n";
    let settings: Settings = read("c.toml", text.as_bytes(), User).settings;
    let layers: Vec<(Layer, Settings)> = vec![(Project, settings)];
    assert_eq!(merge(layers), merge(Vec::new()));
}
