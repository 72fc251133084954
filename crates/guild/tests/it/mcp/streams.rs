//! What clients give the server as its input and output: pipes as everywhere else, sockets, one for both, or a file.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use guild_testkit::Running;
use serde_json::{Value as Json, json};

use super::SKILLS;
use crate::env;

/// The list of tools as a client of the era without a handshake asks for it.
fn question(id: u32) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": meta}}).to_string()
}

#[track_caller]
fn check_answer(line: &str, id: u32) {
    let answer: Json = serde_json::from_str(line).unwrap();
    assert_eq!(answer["id"], id, "{answer}");
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

/// Asks twice, and leaves.
#[track_caller]
fn check_talk(ours: &UnixStream, server: Running) {
    let mut lines = BufReader::new(ours.try_clone().unwrap()).lines();
    for id in 1..=2 {
        writeln!(&mut &*ours, "{}", question(id)).unwrap();
        check_answer(&lines.next().unwrap().unwrap(), id);
    }
    ours.shutdown(Shutdown::Write).unwrap();
    assert!(lines.next().is_none());
    assert_eq!(server.finish().to_string(), "exit: 0\n--- stdout\n--- stderr\n");
}

#[test]
fn one_socket_is_input_and_output() {
    let env = env(SKILLS);
    let (ours, theirs) = UnixStream::pair().unwrap();
    let [stdin, stdout] = [theirs.try_clone().unwrap(), theirs].map(OwnedFd::from);
    check_talk(&ours, env.invocation(&["mcp"]).between(stdin, stdout));
}

#[test]
fn a_file_is_input_and_another_is_output() {
    let env = env(SKILLS);
    std::fs::write(env.join("questions"), format!("{}\n", question(1))).unwrap();
    let stdin = File::open(env.join("questions")).unwrap();
    let stdout = File::create(env.join("answers")).unwrap();
    let output = env.invocation(&["mcp"]).between(stdin, stdout).finish();
    assert_eq!(output.to_string(), "exit: 0\n--- stdout\n--- stderr\n");
    check_answer(&std::fs::read_to_string(env.join("answers")).unwrap(), 1);
}
