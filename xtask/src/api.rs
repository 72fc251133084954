//! `api-conformance`: requests that Schemathesis makes up from the server's own OpenAPI document, with a token of each sort.
//!
//! None may end in a status of 500 or more, in one that the document does not know, or in a body that it does not describe; what breaks
//! the document is refused, and so is whoever brings no token. Schemathesis comes from PyPI into `target/api-suite` and stays there.
//! What installs from elsewhere is asked of by those alone who may not.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::process;

/// What pip installs.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
const SETTINGS: &str = "xtask/src/api/schemathesis.toml";
/// What has to hold of every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
                      negative_data_rejection,unsupported_method,ignored_auth";
/// How many requests are made up for each operation, beside those at the bounds of its schema.
const EXAMPLES: &str = "10";

/// Whoever asks: a name, how their token is made, and what they do not ask for.
const CALLERS: &[(&str, &[&str], &[&str])] = &[
    ("viewer", &["token", "create", "viewer", "--role", "viewer"], &[]),
    ("agent", &["token", "create", "--agent", "writer"], &[]),
    // An admin's wish to install is granted, and what is made up may be somebody's repository.
    ("admin", &["token", "create", "admin", "--role", "admin"], &["--exclude-operation-id", "add_source"]),
];

/// What there is to ask about.
const FILES: &[(&str, &str)] = &[
    ("project/.git/HEAD", "ref: refs/heads/main\n"),
    (
        "project/.guild/skills/greet/SKILL.md",
        "---\nname: greet\ndescription: Greets\nscript: greet.sh\nparams:\n  who: {type: string, required: true}\n---\nGreet them.\n",
    ),
    ("project/.guild/skills/greet/greet.sh", "echo \"hello $2\"\n"),
    (
        "project/.guild/skills/note/SKILL.md",
        "---\nname: note\ndescription: Notes\n---\nNote: $ARGUMENTS, as it was said.\n",
    ),
    ("project/.guild/skills/crooked/SKILL.md", "No frontmatter.\n"),
    (
        "project/.guild/plugins/shop/guild.plugin.json",
        r#"{"id": "shop", "name": "Shop", "version": "1.0.0", "description": "Sells", "capabilities": ["prompt"], "promptSections": [{"heading": "Shop", "content": "Be kind."}], "settings": {"till": {"type": "number", "title": "Till", "description": "How much"}}}"#,
    ),
    (
        "project/.guild/plugins/shop/skills/sell/SKILL.md",
        "---\nname: sell\ndescription: Sells\n---\nSell it, and be kind to whoever buys.\n",
    ),
];

/// Installs what is missing, and asks.
pub fn run(root: &Path) -> Result<(), String> {
    // The whole workspace, as the other gates build it: one crate alone would be built with other features.
    process::run(root, "cargo", &["build", "--workspace", "--locked", "--bins", "--examples"], &[])?;
    let target = process::target(root)?;
    let suite = Suite {
        root: root.to_owned(),
        directory: target.join("api-suite"),
        guild: target.join("debug/guild"),
    };
    suite.install()?;
    suite.furnish()?;
    let tokens = CALLERS.iter().map(|(_, create, _)| suite.token(create)).collect::<Result<Vec<_>, _>>()?;
    let server = Server::start(&suite)?;
    for ((name, _, left_out), token) in CALLERS.iter().zip(&tokens) {
        let told = suite.ask(&server.url, token, left_out).map_err(|told| format!("as {name}:\n{told}"))?;
        println!("  {name}: {told}");
    }
    drop(server);
    // Nothing that was asked has harmed the books.
    suite.guild(&["receipts", "verify"]).map(drop)
}

struct Suite {
    root: PathBuf,
    directory: PathBuf,
    guild: PathBuf,
}

impl Suite {
    fn install(&self) -> Result<(), String> {
        fs::create_dir_all(&self.directory).map_err(|error| error.to_string())?;
        let wanted = self.directory.join("wanted.txt");
        if fs::read_to_string(&wanted).ok().as_deref() == Some(SCHEMATHESIS) {
            return Ok(());
        }
        println!("  install Schemathesis from PyPI");
        process::capture(&self.directory, "python3", &["-m", "venv", "python"])?;
        let python = self.directory.join("python/bin/python");
        process::capture(
            &self.directory,
            &shown(&python),
            &["-m", "pip", "install", "--quiet", SCHEMATHESIS],
        )?;
        fs::write(&wanted, SCHEMATHESIS).map_err(|error| error.to_string())
    }

    /// A world of its own, made anew.
    fn furnish(&self) -> Result<(), String> {
        let world = self.world();
        if world.exists() {
            fs::remove_dir_all(&world).map_err(|error| error.to_string())?;
        }
        for (path, content) in FILES {
            let path = world.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&world)).map_err(|error| error.to_string())?;
            fs::write(path, content).map_err(|error| error.to_string())?;
        }
        fs::create_dir_all(world.join("home")).map_err(|error| error.to_string())
    }

    fn world(&self) -> PathBuf {
        self.directory.join("world")
    }

    /// The command in that world.
    fn command(&self, arguments: &[&str]) -> Command {
        let world = self.world();
        let mut command = process::command(&world.join("project"), &shown(&self.guild), arguments);
        for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(variable);
        }
        command.env("HOME", world.join("home")).env("GUILD_ETC", world.join("etc"));
        // What would reach for the network finds nothing there.
        command.envs([("http_proxy", "http://127.0.0.1:9"), ("https_proxy", "http://127.0.0.1:9")]);
        command
    }

    fn guild(&self, arguments: &[&str]) -> Result<String, String> {
        let output = self.command(arguments).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("cannot start guild: {error}"))?;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(format!("`guild {}` failed: {told}", arguments.join(" ")));
        }
        String::from_utf8(output.stdout).map_err(|error| error.to_string())
    }

    fn token(&self, create: &[&str]) -> Result<String, String> {
        let made = self.guild(&[create, &["--json"]].concat())?;
        let made: serde_json::Value = serde_json::from_str(&made).map_err(|error| error.to_string())?;
        let secret = made.pointer("/data/secret").and_then(serde_json::Value::as_str);
        secret.map(str::to_owned).ok_or_else(|| "no token was made".to_owned())
    }

    /// Asks as somebody; how many requests there were, or what failed.
    fn ask(&self, url: &str, token: &str, left_out: &[&str]) -> Result<String, String> {
        let (settings, document) = (shown(&self.root.join(SETTINGS)), format!("{url}/api/v1/openapi.json"));
        let header = format!("Authorization: Bearer {token}");
        let mut arguments = vec!["--config-file", &settings, "run", &document, "--header", &header];
        arguments.extend(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--seed", "1"]);
        arguments.extend([
            "--max-examples",
            EXAMPLES,
            "--no-color",
            "--warnings",
            "off",
            "--request-timeout",
            "30",
        ]);
        arguments.extend(["--continue-on-failure"]);
        arguments.extend(left_out);
        let program = shown(&self.directory.join("python/bin/schemathesis"));
        let output = process::command(&self.directory, &program, &arguments).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("cannot start Schemathesis: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("{text}{}", String::from_utf8_lossy(&output.stderr)));
        }
        let told = text.lines().map(str::trim).find(|line| line.contains(" generated, "));
        told.map(str::to_owned).ok_or(text)
    }
}

/// `guild serve`; it ends with this value.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(suite: &Suite) -> Result<Self, String> {
        let mut command = suite.command(&["serve", "--listen", "127.0.0.1:0", "--rate", "100000"]);
        let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = started.map_err(|error| format!("cannot start the server: {error}"))?;
        let mut lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
        let url = lines.next().and_then(Result::ok).ok_or("the server says nothing")?;
        Ok(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
