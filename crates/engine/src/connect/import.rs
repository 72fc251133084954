//! `servers import`: the servers that another program starts, as entries of our own configuration.
//!
//! Values of variables and headers stay where they are: they are secrets as often as not. Their names come along, and whoever imports
//! says with `guild secret set` what they are.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value as Json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

use super::host::{Form, Host};
use super::{HostPlaces, HostScope, SERVER, keep, read, write};
use crate::diff::difference;
use crate::reply::{ServersImported, SkippedServer};
use crate::{Code, Envelope, Refusal};

/// What to import.
#[derive(Debug, Clone, Copy)]
pub struct TakeOver<'a> {
    /// The host by its id.
    pub host: &'a str,
    /// From whose file.
    pub scope: HostScope,
    /// Our own file, into which the servers go.
    pub config: &'a Path,
    /// Only says what would change.
    pub dry_run: bool,
}

/// Takes over the servers of a host.
pub fn servers_import(places: HostPlaces<'_>, request: &TakeOver<'_>) -> Envelope<ServersImported> {
    match imported(places, request) {
        Ok(reply) => Envelope::ok(reply),
        Err(refusal) => {
            let reply = ServersImported { host: request.host.to_owned(), ..ServersImported::default() };
            Envelope::error(refusal.code, refusal.message, reply)
        }
    }
}

fn imported(places: HostPlaces<'_>, request: &TakeOver<'_>) -> Result<ServersImported, Refusal> {
    let host = Host::named(request.host)?;
    let source = host.file(places, request.scope)?;
    let invalid = |path: &Path, reason: String| {
        Refusal::new(Code::HostFileInvalid, format!("{} cannot be read: {reason}", path.display()))
    };
    let text = read(&source)?.ok_or_else(|| {
        Refusal::new(Code::ReadFailed, format!("{} has no file {}", host.id, source.display()))
    })?;
    let found = servers(host, &text).map_err(|reason| invalid(&source, reason))?;
    let before = read(request.config)?;
    let was = before.clone().unwrap_or_default();
    let mut document: DocumentMut =
        was.parse().map_err(|error: toml_edit::TomlError| invalid(request.config, error.to_string()))?;
    let mut reply = ServersImported {
        host: host.id.to_owned(),
        source: source.to_string_lossy().into_owned(),
        path: request.config.to_string_lossy().into_owned(),
        ..ServersImported::default()
    };
    let ours = table(&mut document).map_err(|reason| invalid(request.config, reason))?;
    let mut variables = BTreeSet::new();
    for (name, entry) in found.iter().filter(|(name, _)| *name != SERVER) {
        match taken(name, entry, ours, &mut variables) {
            Ok(server) => {
                ours.insert(&named(name), Item::Table(server));
                reply.added.push(named(name));
            }
            Err(reason) => reply.skipped.push(SkippedServer { name: name.clone(), reason }),
        }
    }
    let after = document.to_string();
    if !reply.added.is_empty() && !request.dry_run {
        before.map(|before| keep(request.config, &before)).transpose()?;
        write(request.config, &after)?;
        reply.written = true;
    }
    reply.variables = variables.into_iter().collect();
    if !reply.added.is_empty() {
        reply.difference = difference(was.as_bytes(), after.as_bytes());
    }
    Ok(reply)
}

/// The servers in a host's file, by name.
pub(super) fn servers(host: &Host, text: &str) -> Result<Map<String, Json>, String> {
    let (keys, whole): (&[&str], Json) = match host.form {
        Form::Json { keys, .. } => {
            let options = jsonc_parser::ParseOptions::default();
            let read = jsonc_parser::parse_to_serde_value::<Json>(text, &options);
            (keys, read.map_err(|error| error.to_string())?)
        }
        Form::Toml => (&["mcp_servers"], toml::from_str(text).map_err(|error| error.to_string())?),
    };
    let mut found = &whole;
    for key in keys {
        found = found.get(key).unwrap_or(&Json::Null);
    }
    Ok(found.as_object().cloned().unwrap_or_default())
}

/// The table `mcp.servers` of our own file.
fn table(document: &mut DocumentMut) -> Result<&mut Table, String> {
    let mut inner: &mut Table = document.as_table_mut();
    for key in ["mcp", "servers"] {
        let item = inner.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        inner = item.as_table_mut().ok_or_else(|| format!("`{key}` is no table"))?;
    }
    Ok(inner)
}

/// A server's name as ours are: small letters, digits, `-` and `_`.
fn named(name: &str) -> String {
    let plain =
        |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect()
}

/// Our entry for a server of theirs, or why there is none.
fn taken(name: &str, entry: &Json, ours: &Table, variables: &mut BTreeSet<String>) -> Result<Table, String> {
    if ours.contains_key(&named(name)) {
        return Err("you have a server of that name".to_owned());
    }
    let text = |keys: &[&str]| keys.iter().find_map(|key| entry.get(key)?.as_str());
    let mut server = Table::new();
    if let Some(url) = text(&["url", "httpUrl"]) {
        server.insert("url", value(url));
        let headers = entry.get("headers").and_then(Json::as_object);
        let names: Vec<&String> = headers.into_iter().flat_map(|headers| headers.keys()).collect();
        if !names.is_empty() {
            let mut table = InlineTable::new();
            for header in names {
                let variable = format!("{name}_{header}")
                    .to_ascii_uppercase()
                    .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
                table.insert(header, format!("${{{variable}}}").into());
                variables.insert(variable);
            }
            server.insert("headers", value(table));
        }
        return Ok(server);
    }
    let listed = |value: Option<&Json>| -> Vec<String> {
        let words = value.and_then(Json::as_array).into_iter().flatten();
        words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let command = entry.get("command");
    let mut words: Vec<String> = command.and_then(Json::as_str).map(str::to_owned).into_iter().collect();
    words.extend(listed(command));
    words.extend(listed(entry.get("args")));
    let (program, arguments) = words.split_first().ok_or("it has neither a command nor an address")?;
    server.insert("command", value(program));
    server.insert("args", value(arguments.iter().collect::<Array>()));
    let env = entry.get("env").or_else(|| entry.get("environment")).and_then(Json::as_object);
    let names: Vec<String> = env.into_iter().flat_map(|env| env.keys().cloned()).collect();
    if !names.is_empty() {
        server.insert("env", value(names.iter().collect::<Array>()));
        variables.extend(names);
    }
    Ok(server)
}
