//! `host-smoke`: agents' own programs, connected by `guild connect` and asked by their own probes whether they reach the server.
//!
//! They come from npm into `target/hosts`, hundreds of megabytes of them, and stay there; no login is needed to list servers. `./test`
//! does not run it. Every host has a home of its own that is made anew each time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::process;

/// What npm installs; the hosts need a newer Node than most systems have.
const PACKAGES: &str = include_str!("hosts/package.json");

/// One host: its id for `guild connect`, its program, and what its list has to say of a server that it reaches.
struct Host {
    id: &'static str,
    program: &'static str,
    well: &'static str,
}

const HOSTS: [Host; 3] = [
    Host { id: "claude-code", program: "claude", well: "Connected" },
    Host { id: "codex", program: "codex", well: "enabled" },
    Host { id: "gemini", program: "gemini", well: "Connected" },
];

/// Installs what is missing, and asks every host, and `guild doctor` that asks them in turn.
pub fn run(root: &Path) -> Result<(), String> {
    // The whole workspace, as the other gates build it: one crate alone would be built with other features.
    process::run(root, "cargo", &["build", "--workspace", "--locked", "--bins"], &[])?;
    let target = process::target(root)?;
    let smoke = Smoke { guild: target.join("debug/guild"), directory: target.join("hosts") };
    smoke.install()?;
    let mut failed = Vec::new();
    for host in &HOSTS {
        if let Err(error) = smoke.ask(host) {
            println!("  {}: {error}", host.id);
            failed.push(host.id);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not reached: {}", failed.join(", "))) }
}

struct Smoke {
    guild: PathBuf,
    directory: PathBuf,
}

impl Smoke {
    fn install(&self) -> Result<(), String> {
        let programs = self.directory.join("node_modules/.bin");
        let wanted = self.directory.join("package.json");
        let is_there = HOSTS.iter().all(|host| programs.join(host.program).exists());
        if is_there && fs::read_to_string(&wanted).ok().as_deref() == Some(PACKAGES) {
            return Ok(());
        }
        println!("  install the hosts from npm");
        fs::create_dir_all(&self.directory).map_err(|error| error.to_string())?;
        fs::write(&wanted, PACKAGES).map_err(|error| error.to_string())?;
        process::capture(&self.directory, "npm", &["install", "--no-audit", "--no-fund"]).map(drop)
    }

    /// Connects a host in a home of its own, and reads its list and what doctor makes of it.
    fn ask(&self, host: &Host) -> Result<(), String> {
        let home = self.directory.join("homes").join(host.id);
        fs::remove_dir_all(&home).ok();
        fs::create_dir_all(home.join("project/.git")).map_err(|error| error.to_string())?;
        let version = self.say(&home, host.program, &["--version"])?;
        println!("  {}: {}", host.id, version.lines().next().unwrap_or_default());
        let guild = self.guild.to_string_lossy();
        self.say(&home, &guild, &["connect", host.id])?;
        let list = self.say(&home, host.program, &["mcp", "list"])?;
        list.lines().filter(|line| !line.trim().is_empty()).for_each(|line| println!("    {line}"));
        let ours = list.lines().find(|line| line.contains("guild") && line.contains(host.well));
        ours.ok_or_else(|| format!("`{} mcp list` does not say `{}` of guild", host.program, host.well))?;
        let seen = self.say(&home, &guild, &["doctor"])?;
        let told = seen.lines().find(|line| line.contains(&format!("{}: ", host.id)));
        let told = told.ok_or("`guild doctor` did not ask it")?;
        println!("    {told}");
        if told.starts_with("good") { Ok(()) } else { Err("`guild doctor` finds it wanting".to_owned()) }
    }

    /// What a program says, on both streams, in the project of a home with nothing else around it.
    fn say(&self, home: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
        let modules = self.directory.join("node_modules");
        let path = format!(
            "{}:{}:/usr/bin:/bin",
            modules.join("node/bin").display(),
            modules.join(".bin").display()
        );
        let mut command = process::command(&home.join("project"), "env", &["-i"]);
        command.arg(format!("HOME={}", home.display())).arg(format!("PATH={path}"));
        // The directory is ours; a host that trusts no directory starts no server there.
        command.arg("GEMINI_CLI_TRUST_WORKSPACE=true").args(["timeout", "90", program]).args(arguments);
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("cannot start `{program}`: {error}"))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        if output.status.success() { Ok(said) } else { Err(format!("`{program}` failed: {said}")) }
    }
}
