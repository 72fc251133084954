//! What leaves the machine: credentials, the environment and secrets on their way to a sender.
//!
//! One's own key in a header to its own service is no theft.

use crate::address::{self, Place};
use crate::codes::Code;
use crate::flow::Taint;
use crate::places;
use crate::shell::command::Command;
use crate::shell::output::FETCHERS;
use crate::shell::reader::Reader;
use crate::shell::word::Word;

/// Options whose value is sent as the body of a request.
const BODIES: &[&str] = &[
    "-d",
    "--data",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--data-ascii",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "--post-file",
    "--post-data",
    "--body-file",
    "--body-data",
    "--json",
];
/// Programs that send what they read.
const SENDERS: &[&str] =
    &["nc", "ncat", "netcat", "socat", "telnet", "scp", "sftp", "rsync", "ftp", "mail", "sendmail", "mailx"];

pub fn check(reader: &mut Reader<'_, '_>, command: &Command, input: Option<&Word>, text: &str) {
    let name = command.name();
    let mut sent = Taint::default();
    let place = if FETCHERS.contains(&name) {
        body(command, input, reader, &mut sent);
        let urls = command
            .args()
            .iter()
            .filter(|word| address::target(&word.text).is_some() && word.text.contains('.'));
        let urls: Vec<&Word> = urls.collect();
        urls.iter().for_each(|word| sent.merge(&word.taint));
        urls.iter().map(|word| address::place(address::target(&word.text).unwrap_or_default())).max()
    } else if SENDERS.contains(&name) {
        input.iter().for_each(|word| sent.merge(&word.taint));
        files(command.args(), reader, &mut sent);
        Some(Place::Unknown)
    } else if let Some(target) =
        command.redirects.iter().find(|redirect| redirect.target.text.contains("/dev/tcp/"))
    {
        sent.merge(&target.target.taint);
        sent.merge(&command.taint());
        input.iter().for_each(|word| sent.merge(&word.taint));
        files(command.args(), reader, &mut sent);
        Some(Place::Unknown)
    } else {
        return reads(reader, command, text);
    };
    tell(reader, command, &sent, place.unwrap_or(Place::Unknown), text);
}

fn tell(reader: &mut Reader<'_, '_>, command: &Command, sent: &Taint, place: Place, text: &str) {
    if place == Place::Local {
        return;
    }
    if sent.credential.is_some() {
        reader.report(command, Code::CredentialsToNetwork, text);
    }
    if sent.environment {
        reader.report(command, Code::EnvironmentToNetwork, text);
    }
    let headers = command.values(&["-H", "--header"]).fold(sent.clone(), |mut all, word| {
        all.merge(&word.taint);
        all
    });
    match place {
        Place::Drop if headers.secret.is_some() => reader.report(command, Code::SecretToDropSite, text),
        Place::Drop => reader.report(command, Code::DropSite, text),
        Place::Bare => reader.report(command, Code::BareAddress, text),
        _ => {}
    }
}

/// What a fetcher sends as its body: values, files behind `@`, and its input behind `@-`.
fn body(command: &Command, input: Option<&Word>, reader: &Reader<'_, '_>, sent: &mut Taint) {
    for value in command.values(BODIES) {
        sent.merge(&value.taint);
        let file = value.text.split_once('@').map_or(value.text.as_str(), |(_, file)| file);
        let named = file.trim_start_matches('<').split(';').next().unwrap_or_default();
        if named == "-" || value.text == "-" || value.text == "." {
            input.iter().for_each(|word| sent.merge(&word.taint));
        }
        let is_file = value.text.contains('@')
            || command.values(&["-T", "--upload-file", "--post-file", "--body-file"]).next().is_some();
        if is_file && places::is_credential(named) {
            sent.credential.get_or_insert_with(|| named.to_owned());
        }
        if let Some(taint) = reader.files.get(named) {
            sent.merge(taint);
        }
    }
}

fn files(words: &[Word], reader: &Reader<'_, '_>, sent: &mut Taint) {
    let mut is_value = false;
    for word in words {
        // The key that a connection is made with is not what is sent.
        if !std::mem::replace(&mut is_value, matches!(word.text.as_str(), "-i" | "-F" | "-o" | "-e")) {
            if places::is_credential(&word.text) {
                sent.credential.get_or_insert_with(|| word.text.clone());
            }
            reader.files.get(&word.text).iter().for_each(|taint| sent.merge(taint));
        }
    }
}

/// Credentials that are read without being sent from here.
fn reads(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    const READERS: &[&str] =
        &["cat", "head", "tail", "base64", "xxd", "tar", "zip", "sqlite3", "strings", "less", "more"];
    let name = command.name();
    let is_private = |word: &Word| places::is_credential(&word.text) && word.text.contains('/');
    if READERS.contains(&name) && command.args().iter().any(is_private) {
        reader.report(command, Code::CredentialRead, text);
    }
}
