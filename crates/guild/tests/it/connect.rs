//! `guild connect`: one entry in the file of an agent's program, and nothing else in it touched.

use crate::{env, envelope};
use expect_test::{expect, expect_file};
use guild_testkit::{Env, session};
use std::fs;

/// Every file that exists already has something of its own in it.
const FILES: &str = r#"
//- /project/.git/
//- /project/.vscode/mcp.json
{
  // ours
  "servers": {"other": {"type": "http", "url": "http://x"}}
}
//- /home/.codex/config.toml
model = "x" # mine
[mcp_servers.other]
url = "http://x"
//- /home/.gemini/settings.json
{"theme": "dark"}
//- /home/.openclaw/openclaw.json
{ "mcp": [] }
"#;

/// One host after the other.
const HOSTS: &str = "
guild connect vscode --scope project --dry-run
guild connect vscode --scope project
guild connect vscode --scope project
guild connect vscode --scope project --remove
guild connect codex --agent helper
guild connect codex --remove
guild connect claude-code --scope project
guild connect opencode -q
";

/// A session, in which the command has no path.
fn shown(env: &Env, script: &str) -> String {
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_guild")).unwrap();
    session(env, script).replace(&*program.to_string_lossy(), "[GUILD]")
}

#[test]
fn an_entry_is_added_shown_and_taken_back_in_the_form_of_each_host() {
    let env = env(FILES);
    expect_file!["connect.txt"].assert_eq(&shown(&env, HOSTS));
    assert_eq!(
        fs::read_to_string(env.home().join(".codex/config.toml")).unwrap(),
        "model = \"x\" # mine\n[mcp_servers.other]\nurl = \"http://x\"\n"
    );
}

#[test]
fn what_cannot_be_edited_is_refused_and_stays() {
    let env = env(FILES);
    expect![[r#"
            $ guild connect openclaw
            [stderr]
            error[host_file_invalid]: [ROOT]/home/.openclaw/openclaw.json cannot be edited: `mcp` is no object; mend it first
            [exit 1]
            $ guild connect openclaw --scope project
            [stderr]
            error[unknown_host]: openclaw reads no file of a project; use `--scope user`
            [exit 2]
            $ guild connect cursr
            [stderr]
            error[unknown_host]: there is no host `cursr`; there are: claude-code, codex, cursor, gemini, vscode, openclaw, opencode, zed; did you mean `cursor`?
            [exit 2]
        "#]].assert_eq(&shown(&env, "guild connect openclaw\nguild connect openclaw --scope project\nguild connect cursr"));
    assert_eq!(fs::read_to_string(env.home().join(".openclaw/openclaw.json")).unwrap(), "{ \"mcp\": [] }\n");
}

#[test]
fn the_file_as_it_was_is_kept_and_links_and_rights_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = env(FILES);
    let (link, real) = (env.home().join(".gemini/settings.json"), env.home().join("dotfiles.json"));
    fs::rename(&link, &real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let data = envelope(&env.guild(&["connect", "gemini", "--json"]).stdout())["data"].clone();
    let backup = env.home().join(".gemini/settings.json.guild-backup");
    assert_eq!(data["backup"], "[ROOT]/home/.gemini/settings.json.guild-backup");
    assert!(link.is_symlink() && fs::metadata(&real).unwrap().permissions().mode() & 0o777 == 0o600);
    assert_eq!(fs::read_to_string(backup).unwrap(), "{\"theme\": \"dark\"}\n");
    let written: serde_json::Value = serde_json::from_str(&fs::read_to_string(&real).unwrap()).unwrap();
    assert_eq!(
        (&written["theme"], &written["mcpServers"]["guild"]["args"]),
        (&"dark".into(), &serde_json::json!(["mcp", "--agent", "gemini"]))
    );
}

/// A host's own program, as far as doctor sees it.
const PROBES: &str = r#"
//- /project/.git/
//- /bin/claude mode:755
#!/bin/sh
[ "$*" = "mcp list" ] && [ "$PWD" = "$HOME" ] || exit 9
printf 'guild: guild mcp - \033[32m✔ Connected\033[0m\n'
//- /bin/gemini mode:755
#!/bin/sh
printf '✗ guild: guild mcp\a (stdio) - Disconnected\n' >&2
exit 1
//- /bin/opencode mode:755
#!/bin/sh
echo guild connected
"#;

#[test]
fn doctor_asks_the_hosts_that_are_connected_whether_they_reach_the_server() {
    let env = env(PROBES);
    let path = format!("{}:/usr/bin:/bin", env.join("bin").display());
    let env = env.with_var("PATH", path);
    for host in ["claude-code", "gemini", "codex"] {
        assert_eq!(env.guild(&["connect", host, "-q"]).code(), Some(0));
    }
    let seen = env.guild(&["doctor"]);
    assert_eq!(seen.code(), Some(0), "{seen}");
    let said = seen.stdout();
    let said: Vec<&str> = said.lines().skip_while(|line| !line.contains("  host ")).collect();
    expect![[r#"
        good  host           claude-code: guild: guild mcp - ✔ Connected
        look  host           gemini: ✗ guild: guild mcp\u{7} (stdio) - Disconnected
                             hint: `gemini mcp list` shows more; `guild connect gemini` writes the entry anew"#]]
    .assert_eq(&said.join("\n"));
}
