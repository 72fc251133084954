//! `mcp-conformance`: the official suite, the inspector and the Python client, against the real server.
//!
//! What they need comes from npm and PyPI into `target/mcp-suite` and stays there. There is no list of failures that are put up with:
//! every scenario that a revision of the protocol requires passes, and those of the skills extension.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::process;

/// What npm installs; the suite needs a newer Node than most systems have.
const PACKAGES: &str = include_str!("mcp/package.json");
/// What pip installs.
const PYTHON_CLIENT: &str = "mcp==2.3.0";
/// Gives the suite a token.
const BEARER: &str = "xtask/src/mcp/bearer.mjs";
const CLIENTS: &str = "xtask/src/mcp/clients.py";
/// The revisions whose requirements all hold.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];
/// The scenarios of the skills extension for servers, which no revision requires.
const SKILLS: [&str; 3] =
    ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"];
/// Those for clients.
const TAKEN: [&str; 4] = [
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
];
/// Takes skills of the suite's server.
const TAKER: &str = "xtask/src/mcp/skills_client.py";

/// Installs what is missing, and runs everything.
pub fn run(root: &Path) -> Result<(), String> {
    // The whole workspace, as the other gates build it: one crate alone would be built with other features.
    let build = ["build", "--workspace", "--locked", "--bins", "--examples"];
    process::run(root, "cargo", &build, &[])?;
    let tools = Tools::install(root)?;
    suite(&tools)?;
    taken(&tools)?;
    let guild = tools.built.join("guild");
    println!("  clients, by the real command");
    let clients = root.join(CLIENTS);
    process::run(
        root,
        &shown(&tools.python()),
        &[&shown(&clients), &shown(&guild), &shown(&tools.node()), &shown(&tools.inspector())],
        &[],
    )
}

/// What was installed and built.
struct Tools {
    root: PathBuf,
    directory: PathBuf,
    built: PathBuf,
}

impl Tools {
    fn install(root: &Path) -> Result<Self, String> {
        let target = process::target(root)?;
        let (directory, built) = (target.join("mcp-suite"), target.join("debug"));
        let tools = Self { root: root.to_owned(), directory, built };
        fs::create_dir_all(&tools.directory).map_err(|error| error.to_string())?;
        let wanted = tools.directory.join("package.json");
        if fs::read_to_string(&wanted).ok().as_deref() != Some(PACKAGES) || !tools.inspector().exists() {
            println!("  install the suite and the inspector from npm");
            fs::write(&wanted, PACKAGES).map_err(|error| error.to_string())?;
            process::capture(&tools.directory, "npm", &["install", "--no-audit", "--no-fund"])?;
        }
        let installed = process::capture(root, &shown(&tools.python()), &["-c", "import mcp"]);
        if installed.is_err() {
            println!("  install the Python client from PyPI");
            process::capture(&tools.directory, "python3", &["-m", "venv", "python"])?;
            let install = ["-m", "pip", "install", "--quiet", PYTHON_CLIENT];
            process::capture(&tools.directory, &shown(&tools.python()), &install)?;
        }
        Ok(tools)
    }

    fn node(&self) -> PathBuf {
        self.directory.join("node_modules/node/bin/node")
    }

    fn inspector(&self) -> PathBuf {
        self.directory.join("node_modules/.bin/mcp-inspector")
    }

    fn python(&self) -> PathBuf {
        self.directory.join("python/bin/python")
    }
}

/// The server with the suite's guest; it ends with this value, which holds its standard input.
struct Server {
    child: Child,
    url: String,
    token: String,
}

impl Server {
    fn start(tools: &Tools) -> Result<Self, String> {
        let program = shown(&tools.built.join("examples/mcp_suite"));
        let mut command = process::command(&tools.root, &program, &[]);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| format!("cannot start `{program}`: {error}"))?;
        let mut lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
        let mut line = || lines.next().and_then(Result::ok).ok_or("the server says nothing".to_owned());
        let (url, token) = (line()?, line()?);
        Ok(Self { child, url, token })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

/// The server against the suite's clients.
fn suite(tools: &Tools) -> Result<(), String> {
    let server = Server::start(tools)?;
    let of_revisions = REVISIONS.map(|revision| ["--requirements", revision]);
    let of_skills = SKILLS.map(|scenario| ["--scenario", scenario]);
    for [what, name] in of_revisions.into_iter().chain(of_skills) {
        judge(tools, ["server", "--url", &server.url, what, name], &server.token)?;
    }
    Ok(())
}

/// The command against the suite's servers.
fn taken(tools: &Tools) -> Result<(), String> {
    let (taker, guild) = (tools.root.join(TAKER), tools.built.join("guild"));
    let client = format!("{} {} {}", shown(&tools.python()), shown(&taker), shown(&guild));
    TAKEN.iter().try_for_each(|name| judge(tools, ["client", "--command", &client, "--scenario", name], ""))
}

/// Runs a part of the suite, which has to pass; `token` is what its clients are let in by.
fn judge(tools: &Tools, part: [&str; 5], token: &str) -> Result<(), String> {
    let [.., what, name] = part;
    let import = format!("--import=file://{}", shown(&tools.root.join(BEARER)));
    let program =
        shown(&tools.directory.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"));
    let arguments: Vec<&str> = [import.as_str(), &program].into_iter().chain(part).collect();
    let mut command = process::command(&tools.directory, &shown(&tools.node()), &arguments);
    let output = command.env("GUILD_TOKEN", token).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot start Node: {error}"))?;
    // Of a client's scenario the suite tells on the other stream, and takes one that checked nothing for one that passed.
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let has_checked = what != "--scenario"
        || text.lines().any(|line| line.starts_with("Passed: ") && !line.starts_with("Passed: 0/"));
    if !output.status.success() || !has_checked {
        return Err(format!("{what} {name} fails:\n{text}"));
    }
    let required = text.lines().filter(|line| line.starts_with('✓')).count();
    let told = text.lines().rev().find(|line| line.starts_with("Not scored") || line.starts_with("Passed:"));
    let told = told.map(|told| format!("; {told}")).unwrap_or_default();
    println!("  {name}: all that is required passes ({required} scenarios in all){told}");
    Ok(())
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
