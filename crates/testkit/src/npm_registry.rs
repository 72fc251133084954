//! A real registry of npm packages on this machine: Verdaccio, in a directory of its own, until it is dropped.
//!
//! It comes from npm itself, once, into `target`, with the Node that it needs. It lets in `ada` alone, and asks no other registry.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::below_target;

// One that it depends on is wanted by a tag, which mirrors of npm do not have.
const PACKAGES: &str = r#"{"private": true, "dependencies": {"verdaccio": "6.10.4", "node": "22.23.3"}, "overrides": {"node-fetch": "2.6.7"}}"#;

const CONFIG: &str = "storage: ./storage
auth: {htpasswd: {file: ./htpasswd}}
uplinks: {}
packages: {'**': {access: $authenticated, publish: $authenticated}}
log: {type: stdout, format: pretty, level: warn}
web: {enable: false}
";

/// A registry that runs.
#[derive(Debug)]
pub struct NpmRegistry {
    child: Child,
    host: String,
    token: String,
    directory: TempDir,
}

impl NpmRegistry {
    /// Starts a registry without packages.
    #[track_caller]
    pub fn start() -> Self {
        let program = install();
        let directory = tempfile::tempdir().expect("make a directory for the registry");
        fs::write(directory.path().join("config.yaml"), CONFIG).expect("write the registry's configuration");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let host = free.expect("find a free port").to_string();
        let mut command = command(&program.join("node/bin/node"), directory.path());
        command.arg(program.join(".bin/verdaccio")).args(["--config", "config.yaml", "--listen", &host]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("start the registry");
        await_start(&mut child);
        let token = token(&host);
        Self { child, host, token, directory }
    }

    /// Where it is: `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What lets `ada` in.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Publishes what lies in a directory, by npm itself.
    #[track_caller]
    pub fn publish(&self, package: &Path) {
        let account = self.directory.path().join("npmrc");
        fs::write(&account, format!("//{}/:_authToken={}\n", self.host, self.token))
            .expect("write an account");
        let mut command = command(Path::new("npm"), package);
        command
            .args(["publish", "--registry", &format!("http://{}/", self.host), "--userconfig"])
            .arg(account);
        expect_success(command);
    }
}

impl Drop for NpmRegistry {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The directory of its packages, installed by whoever comes first.
#[track_caller]
fn install() -> PathBuf {
    let directory = below_target("npm-registry");
    fs::create_dir_all(&directory).expect("make a directory for the registry's programs");
    let lock = File::create(directory.join("lock")).expect("make a lock");
    lock.lock().expect("wait for whoever installs the registry");
    let wanted = directory.join("package.json");
    let done = directory.join("done");
    if fs::read_to_string(&done).ok().as_deref() != Some(PACKAGES) {
        fs::write(&wanted, PACKAGES).expect("say what is wanted of npm");
        let mut command = command(Path::new("npm"), &directory);
        command.args(["install", "--no-audit", "--no-fund"]);
        expect_success(command);
        fs::write(done, PACKAGES).expect("say that the registry is installed");
    }
    directory.join("node_modules")
}

fn command(program: &Path, directory: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "npm and its registry are programs of their own")]
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null());
    command
}

#[track_caller]
fn expect_success(mut command: Command) {
    let output = command.output().unwrap_or_else(|error| panic!("start {command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Waits until it says where it listens. What it says afterwards is read and dropped, lest its pipe fill up.
#[track_caller]
fn await_start(child: &mut Child) {
    let mut lines = BufReader::new(child.stdout.take().expect("the registry's words")).lines();
    let mut said = String::new();
    for line in lines.by_ref().map_while(Result::ok) {
        if line.contains("http address") {
            thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
            return;
        }
        said += &line;
    }
    panic!("the registry does not listen: {said}");
}

/// Makes the account of `ada`.
#[track_caller]
fn token(host: &str) -> String {
    let account = r#"{"name": "ada", "password": "lovelace1815"}"#;
    let mut stream = TcpStream::connect(host).expect("reach the registry");
    let head = format!(
        "PUT /-/user/org.couchdb.user:ada HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{account}",
        account.len()
    );
    stream.write_all(head.as_bytes()).expect("ask the registry");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("read the registry's answer");
    let token = answer.split_once(r#""token": ""#).and_then(|(_, rest)| rest.split('"').next());
    token.unwrap_or_else(|| panic!("no token: {answer}")).to_owned()
}
