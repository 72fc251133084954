//! What a command writes to its output: text where it can be known, and where it comes from.
//!
//! A command that nobody knows here hands on what it read.

use super::command::Command;
use super::reader::Reader;
use super::word::Word;
use crate::flow::Taint;
use crate::places;
use crate::{address, decode};

/// Commands that fetch what is at an address.
pub const FETCHERS: &[&str] =
    &["curl", "wget", "fetch", "aria2c", "http", "https", "httpie", "lynx", "xh", "curlie"];
/// Commands whose output says something about their input and holds nothing of it.
const SUMMARIES: &[&str] = &[
    "sha256sum",
    "sha1sum",
    "sha512sum",
    "md5sum",
    "md5",
    "shasum",
    "b2sum",
    "cksum",
    "wc",
    "gpg",
    "true",
    "false",
    "test",
    "[",
    "diff",
    "cmp",
    "file",
    "ls",
    "stat",
    "du",
    "chmod",
    "chown",
    "mkdir",
    "ssh-keygen",
    "ssh-add",
    "which",
];
/// Commands that pick one value out of what they read.
const PICKERS: &[&str] = &["grep", "egrep", "rg", "cut", "jq", "yq", "awk", "gawk", "sed"];

/// The output of a command.
pub fn output(command: &Command, input: Option<&Word>, reader: &mut Reader<'_, '_>) -> Word {
    let name = command.name();
    if SUMMARIES.contains(&name) {
        return Word::unknown();
    }
    if FETCHERS.contains(&name) {
        return fetched(command, reader);
    }
    match name {
        "echo" => return joined(command.args().iter().filter(|word| !is_flag(&word.text))),
        "printf" => return printf(command),
        "base64" | "base32" | "openssl" | "xxd" | "rev" | "uudecode" => {
            return decoded(command, input, reader);
        }
        "env" | "printenv" | "set" | "export" | "declare" if command.operands().next().is_none() => {
            return Word {
                open: true,
                taint: Taint { environment: true, ..Taint::default() },
                ..Word::default()
            };
        }
        _ => {}
    }
    if command.own().is_empty() && command.words.iter().any(|word| word.text == "env") {
        return Word {
            open: true,
            taint: Taint { environment: true, ..Taint::default() },
            ..Word::default()
        };
    }
    passed_on(command, input, reader)
}

fn is_flag(text: &str) -> bool {
    matches!(text, "-n" | "-e" | "-ne" | "-en" | "-E" | "--")
}

/// A fetcher writes what is at the address, or keeps it in a file.
fn fetched(command: &Command, reader: &mut Reader<'_, '_>) -> Word {
    let operands = command.operands().chain(command.args().iter().filter(|word| word.text.contains("://")));
    let url = operands.filter_map(|word| address::target(&word.text)).next().map(str::to_owned);
    let url = url.unwrap_or_else(|| {
        command
            .args()
            .iter()
            .map(|word| word.text.as_str())
            .find(|text| text.contains('$'))
            .unwrap_or("$")
            .to_owned()
    });
    let taint = Taint { download: Some(url.clone()), ..Taint::default() };
    let is_wget = command.name() == "wget";
    let options: &[&str] = if is_wget { &["-O", "--output-document"] } else { &["-o", "--output"] };
    let mut file = command.values(options).map(|word| word.text).next();
    let to_output = file.as_deref().is_some_and(|file| file == "-" || file.starts_with("/dev/stdout"));
    let joined =
        command.args().iter().find(|word| is_wget && word.text.starts_with("-") && word.text.ends_with("O-"));
    if to_output || joined.is_some() {
        file = None;
    } else if file.is_none() && (is_wget || command.has('O', "--remote-name")) {
        file = url.split(['?', '#']).next().and_then(|url| url.rsplit('/').next()).map(str::to_owned);
    }
    if let Some(file) = file.filter(|file| !file.is_empty()) {
        reader.note_write(&file, command.row);
        reader.files.insert(file, taint);
        return Word::unknown();
    }
    Word { open: true, taint, ..Word::default() }
}

fn joined<'a>(words: impl Iterator<Item = &'a Word>) -> Word {
    let mut out = Word::default();
    for (at, word) in words.enumerate() {
        if at > 0 {
            out.push(" ");
        }
        out.append(word);
    }
    out.text = if out.text.contains("\\x") || out.text.contains("\\0") {
        decode::escapes(&out.text)
    } else {
        out.text
    };
    out
}

/// `printf` with its arguments put in place.
fn printf(command: &Command) -> Word {
    let mut args = command.args().iter();
    let Some(format) = args.next() else { return Word::default() };
    let mut out = Word { open: format.open, taint: format.taint.clone(), ..Word::default() };
    let text = decode::escapes(&format.text);
    let mut pieces = text.split("%s");
    out.push(pieces.next().unwrap_or_default());
    for piece in pieces {
        if let Some(word) = args.next() {
            out.append(word);
        }
        out.push(piece);
    }
    args.for_each(|word| out.append(word));
    out
}

/// Decoders give their input in plain text; encoders hand on where it comes from.
fn decoded(command: &Command, input: Option<&Word>, reader: &mut Reader<'_, '_>) -> Word {
    let name = command.name();
    let decodes = match name {
        "base64" | "base32" => command.has('d', "--decode") || command.has('D', ""),
        "openssl" => command.args().iter().any(|word| word.text == "-d"),
        "xxd" => command.has('r', "-r"),
        _ => true,
    };
    let mut out = passed_on(command, input, reader);
    if !decodes {
        return out;
    }
    let fed = input.filter(|word| !word.open).map(|word| word.text.as_str());
    let plain = match name {
        "base64" => fed.and_then(decode::base64),
        "xxd" => fed.and_then(decode::hex),
        "rev" => fed.map(|text| text.chars().rev().collect::<String>().into_bytes()),
        _ => None,
    };
    out.taint.decoded = true;
    match plain.as_deref().and_then(decode::readable) {
        Some(text) => Word { text, open: false, ..out },
        None => Word { text: String::new(), open: true, ..out },
    }
}

/// What a command hands on: the origin of its input, of its arguments and of the files that it names.
fn passed(command: &Command, input: Option<&Word>) -> Word {
    let mut out = Word { open: true, ..Word::default() };
    let mut taint = input.map(|word| word.taint.clone()).unwrap_or_default();
    taint.merge(&command.taint());
    out.taint = taint;
    out
}

fn passed_on(command: &Command, input: Option<&Word>, reader: &mut Reader<'_, '_>) -> Word {
    let name = command.name();
    let mut out = passed(command, input);
    for word in command.args().iter().chain(command.redirects.iter().map(|redirect| &redirect.target)) {
        let path = word.text.trim_start_matches('@');
        if let Some(taint) = reader.files.get(path) {
            out.taint.merge(taint);
        }
        if places::is_credential(path) {
            out.taint.credential.get_or_insert_with(|| path.to_owned());
        }
    }
    for file in packed(command) {
        reader.files.entry(file).or_default().merge(&out.taint);
    }
    if PICKERS.contains(&name) || is_picking_program(command) {
        out.taint = out.taint.picked();
    }
    if matches!(name, "cat" | "tee")
        && command.operands().next().is_none()
        && let Some(word) = input
    {
        return word.clone();
    }
    if matches!(name, "source" | "." | "cd" | "git" | "docker" | "npm" | "pip") {
        return Word::unknown();
    }
    out
}

/// Whether a small program parses what it reads and picks values out of it.
fn is_picking_program(command: &Command) -> bool {
    let is_interpreter = ["python", "node", "ruby"].iter().any(|name| command.name().starts_with(name));
    let picks = |word: &Word| {
        let text = word.text.as_str();
        text.contains("json.load") && [".get(", "['", "[\""].iter().any(|picking| text.contains(picking))
            || text.contains("JSON.parse(") && text.contains(").")
    };
    let is_inline = command.has('c', "") || command.has('e', "--eval");
    is_interpreter && is_inline && command.args().iter().any(picks)
}

/// The files that a packer or a copier writes.
fn packed(command: &Command) -> Vec<String> {
    let operands =
        || command.operands().filter(|word| !places::is_credential(&word.text)).map(|word| word.text.clone());
    match command.name() {
        "tar" | "zip" | "7z" | "gzip" => operands().filter(|file| file.contains('.')).collect(),
        "cp" | "mv" => operands().last().into_iter().collect(),
        _ => Vec::new(),
    }
}
