//! Asking hosts themselves: those that this server is connected to, and that have a command which says how their servers are.
//!
//! The commands are ours, one a host, never a skill's or a project's. They run in the home directory, so that no project's servers
//! are started by looking; what they say is a stranger's text.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use guild_sandbox::host::{ConfiguredCommand, Leash, is_installed, run_configured};

use super::host::{HOSTS, Host};
use super::{HostPlaces, HostScope, SERVER, import, read};
use crate::reply::{DoctorLine, Health};

/// A host starts every server of its own before it answers.
const PATIENCE: Duration = Duration::from_secs(20);
/// More than this is no list.
const MOST_OUTPUT: usize = 1 << 20;
/// What it writes meanwhile, to logs of its own.
const MOST_FILE: u64 = 64 << 20;
/// What of its line is shown.
const SHOWN: usize = 200;

/// Words by which hosts say that a server is there and answers.
const WELL: &[&str] = &["connected", "enabled", "ready"];
/// Words by which they say that it is not.
const ILL: &[&str] = &["disconnected", "failed", "error", "disabled", "not connected", "pending"];

/// What each host says of this server; nothing of hosts that it is not connected to or that are not installed.
pub fn host_probes(places: HostPlaces<'_>, environment: &BTreeMap<String, String>) -> Vec<DoctorLine> {
    let path = environment.get("PATH").map_or("", String::as_str);
    let asked = HOSTS.iter().filter(|host| {
        host.probe.first().is_some_and(|program| is_installed(program, path)) && is_connected(host, places)
    });
    thread::scope(|scope| {
        let asking: Vec<_> = asked.map(|host| scope.spawn(|| ask(host, places, environment))).collect();
        asking.into_iter().filter_map(|asked| asked.join().ok()).collect()
    })
}

/// Whether the person's file of a host has this server.
fn is_connected(host: &Host, places: HostPlaces<'_>) -> bool {
    let text = host.file(places, HostScope::User).and_then(|path| read(&path)).ok().flatten();
    text.and_then(|text| import::servers(host, &text).ok())
        .is_some_and(|servers| servers.contains_key(SERVER))
}

fn ask(host: &Host, places: HostPlaces<'_>, environment: &BTreeMap<String, String>) -> DoctorLine {
    let leash = Leash::default();
    let command = ConfiguredCommand {
        words: host.probe.iter().map(|&word| word.to_owned()).collect(),
        directory: places.home.unwrap_or(places.project).to_owned(),
        environment: environment.clone(),
        stdin: Vec::new(),
        patience: PATIENCE,
        max_output: MOST_OUTPUT,
        max_file_bytes: MOST_FILE,
    };
    let (health, said) = match run_configured(command, &leash.other_end()) {
        Ok(output) => judged(&format!("{}\n{}", String::from_utf8_lossy(&output.stdout), output.stderr)),
        Err(error) => (Health::Warning, error.to_string()),
    };
    let hint =
        format!("`{}` shows more; `guild connect {}` writes the entry anew", host.probe.join(" "), host.id);
    DoctorLine {
        name: "host",
        health,
        detail: format!("{}: {said}", host.id),
        hint: (health != Health::Good).then_some(hint),
    }
}

/// What a host's list says of this server, in its own words without colours.
fn judged(list: &str) -> (Health, String) {
    let is_ours = |line: &&str| line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == SERVER);
    let lines: Vec<String> = list.lines().map(plain).collect();
    let Some(line) = lines.iter().map(String::as_str).find(is_ours) else {
        return (Health::Warning, format!("it does not list `{SERVER}`, though its file has it"));
    };
    let shown: String = line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    let lower = line.to_lowercase();
    let is_well =
        WELL.iter().any(|word| lower.contains(word)) && !ILL.iter().any(|word| lower.contains(word));
    (if is_well { Health::Good } else { Health::Warning }, shown)
}

/// A line without the sequences that colour it.
fn plain(line: &str) -> String {
    let (mut shown, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        shown.push_str(before);
        rest =
            after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').get(1..).unwrap_or_default();
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, health: Health, expected: &str) {
        assert_eq!(judged(list), (health, expected.to_owned()));
    }

    #[test]
    fn what_hosts_say_is_understood() {
        let claude =
            "Checking MCP server health…\n\nguild: /bin/guild mcp --agent claude-code - ✔ Connected\n";
        check(claude, Health::Good, "guild: /bin/guild mcp --agent claude-code - ✔ Connected");
        let codex = "Name   Command     Args  Env  Cwd  Status   Auth\nguild  /bin/guild  mcp   -    -    enabled  Unsupported\n";
        check(codex, Health::Good, "guild /bin/guild mcp - - enabled Unsupported");
        let gemini =
            "Configured MCP servers:\n\n\u{1b}[32m✓\u{1b}[0m guild: /bin/guild mcp (stdio) - Connected\n";
        check(gemini, Health::Good, "✓ guild: /bin/guild mcp (stdio) - Connected");
        check(
            "✗ guild: guild mcp (stdio) - Disconnected",
            Health::Warning,
            "✗ guild: guild mcp (stdio) - Disconnected",
        );
        check("guilder: x - Connected", Health::Warning, "it does not list `guild`, though its file has it");
        check("", Health::Warning, "it does not list `guild`, though its file has it");
    }
}
