//! `connect`: makes an agent's program start this server, by one entry in that program's own configuration file.
//!
//! Everything else in the file stays as it is, comments included; the file as it was is kept beside it. Doing it twice does nothing.

mod entry;
mod host;
mod import;
mod json_file;
mod probe;
mod toml_file;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub use host::HostScope;
use host::{Form, Host};
pub use import::{TakeOver, servers_import};
pub use probe::host_probes;

use crate::diff::difference;
use crate::reply::Connect;
use crate::{Code, Envelope, Refusal};
use entry::Entry;

/// The name of the server in every host's file.
const SERVER: &str = "guild";
/// What is appended to the name of a file to keep it as it was.
const BACKUP: &str = "guild-backup";

/// What to connect.
#[derive(Debug, Clone, Copy)]
pub struct ConnectRequest<'a> {
    /// The host by its id.
    pub host: &'a str,
    /// In whose file.
    pub scope: HostScope,
    /// The agent's id; the host's where there is none.
    pub agent: Option<&'a str>,
    /// The program that the host starts.
    pub program: &'a str,
    /// Takes the entry away.
    pub remove: bool,
    /// Only says what would change.
    pub dry_run: bool,
}

/// Where files of hosts lie.
#[derive(Debug, Clone, Copy)]
pub struct HostPlaces<'a> {
    /// The home directory.
    pub home: Option<&'a Path>,
    /// The project.
    pub project: &'a Path,
}

/// Connects a host, or takes that back.
pub fn connect(places: HostPlaces<'_>, request: &ConnectRequest<'_>) -> Envelope<Connect> {
    match connected(places, request) {
        Ok(reply) => Envelope::ok(reply),
        Err(refusal) => {
            let reply = Connect { host: request.host.to_owned(), ..Connect::default() };
            Envelope::error(refusal.code, refusal.message, reply)
        }
    }
}

fn connected(places: HostPlaces<'_>, request: &ConnectRequest<'_>) -> Result<Connect, Refusal> {
    let host = Host::named(request.host)?;
    let path = host.file(places, request.scope)?;
    let before = read(&path)?;
    let entry = Entry { program: request.program, agent: request.agent.unwrap_or(host.id) };
    let wanted = (!request.remove).then_some(&entry);
    let after = edited(host, before.as_deref().unwrap_or_default(), wanted).map_err(|reason| {
        let message = format!("{} cannot be edited: {reason}; mend it first", path.display());
        Refusal::new(Code::HostFileInvalid, message)
    })?;
    let was = before.clone().unwrap_or_default();
    let changed = after != was;
    let mut backup = None;
    if changed && !request.dry_run {
        backup = before.map(|before| keep(&path, &before)).transpose()?;
        write(&path, &after)?;
    }
    Ok(Connect {
        host: host.id.to_owned(),
        path: path.to_string_lossy().into_owned(),
        agent: entry.agent.to_owned(),
        changed,
        written: changed && !request.dry_run,
        backup: backup.map(|path| path.to_string_lossy().into_owned()),
        difference: difference(was.as_bytes(), after.as_bytes()),
    })
}

fn edited(host: &Host, text: &str, entry: Option<&Entry<'_>>) -> Result<String, String> {
    match host.form {
        Form::Json { keys, shape } => json_file::edited(text, keys, entry.map(|entry| shape(entry))),
        Form::Toml => toml_file::edited(text, entry),
    }
}

/// The file's text; nothing where there is none.
fn read(path: &Path) -> Result<Option<String>, Refusal> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Refusal::new(Code::ReadFailed, format!("cannot read {}: {error}", path.display()))),
    }
}

/// Keeps the file as it was.
fn keep(path: &Path, text: &str) -> Result<PathBuf, Refusal> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{BACKUP}"));
    let backup = path.with_file_name(name);
    write(&backup, text)?;
    Ok(backup)
}

/// Writes a file whole or not at all; through a link, since people keep such files elsewhere, and with the rights that it has.
fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    let written = || -> io::Result<()> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let directory = real.parent().ok_or(io::ErrorKind::NotFound)?;
        std::fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        if let Ok(facts) = std::fs::metadata(&real) {
            file.as_file().set_permissions(facts.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&real).map_err(|error| error.error)?;
        Ok(())
    };
    let failed = |error| Refusal::new(Code::WriteFailed, format!("cannot write {}: {error}", path.display()));
    written().map_err(failed)
}
