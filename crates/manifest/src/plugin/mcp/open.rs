//! Servers as vendors write them: inline, in a file, with a transport under several names or under none.
//!
//! One entry that cannot be used is reported and left out; the others stay.

use super::address::Address;
use super::{HttpKind, McpServer, Transport, list_of_text, pairs_of_text};
use crate::fold::fold;
use crate::plugin::component::Declared;
use crate::plugin::fields::{Fields, Manner};
use crate::plugin::inspection::{Form, Inspection, MANIFEST_LIMIT, shown};
use crate::plugin::{Files, Found, path};
use crate::tree::{Entry, Node, json::Grammar};
use crate::{Code, Problem};

/// How a dialect declares its servers.
#[derive(Debug, Clone, Copy)]
pub(in crate::plugin) struct Manners {
    /// The file that is read without being declared.
    pub usual: Option<&'static str>,
    /// What a declaration means beside that file.
    pub declared: Declared,
    /// What an address without a transport speaks.
    pub plain_url: HttpKind,
}

/// The servers of a plugin: those of the usual file, then those that `mcpServers` declares; the later one counts.
pub(in crate::plugin) fn read(fields: &mut Fields<'_>, manners: Manners) -> Vec<McpServer> {
    let inspection = fields.inspection;
    let node = fields.take("mcpServers");
    let mut servers = Vec::new();
    if let Some(usual) = manners.usual.filter(|_| node.is_none() || manners.declared == Declared::Adds) {
        from_file(inspection, usual, manners, &mut servers);
    }
    let Some(node) = node else { return servers };
    for item in node.as_list().unwrap_or(std::slice::from_ref(node)) {
        match (item.as_str(), item.as_map()) {
            (Some(place), _) => from_place(fields, item, place, manners, &mut servers),
            (None, Some(_)) => {
                let Some(within) = fields.within("mcpServers", item) else { continue };
                add(&within.with_code(Code::ServerInvalid), manners, &mut servers);
            }
            (None, None) => {
                fields.wrong("mcpServers", item, "a path, an object of servers, or a list of those");
            }
        }
    }
    servers
}

fn from_place(fields: &Fields<'_>, item: &Node, place: &str, manners: Manners, servers: &mut Vec<McpServer>) {
    if [".mcpb", ".dxt"].iter().any(|ending| place.ends_with(ending)) {
        let message = format!("`{}` is a packed MCP server, which is not read", shown(place));
        let problem = Problem::new(Code::ServerInvalid, item.at, message, "declare the server itself");
        fields.inspection.report(problem);
        return;
    }
    let existing = |files: &dyn Files, path: &str| files.is_file(path);
    if let Some(file) = fields.inspection.existing("mcpServers", (place, item.at), existing) {
        from_file(fields.inspection, &file, manners, servers);
    }
}

/// Reads a file of servers: under `mcpServers`, under `servers`, or as the whole object.
fn from_file(inspection: Inspection<'_>, file: &str, manners: Manners, servers: &mut Vec<McpServer>) {
    let inspection = inspection.at_file(file);
    let form = Form { grammar: Grammar::Json, limit: MANIFEST_LIMIT, code: Code::ServerInvalid };
    let document = match inspection.files.file(file) {
        Found::Missing => None,
        Found::Bytes(bytes) => inspection.document(&bytes, form),
        other => {
            other.refuse(inspection, Code::ServerInvalid);
            None
        }
    };
    let Some(document) = document else { return };
    let mut fields = Fields::new(inspection, &document, Manner::Lenient, Code::ServerInvalid);
    match fields.take_any(&["mcpServers", "servers"]) {
        Some(node) => {
            if let Some(within) = fields.within("mcpServers", node) {
                add(&within, manners, servers);
            }
        }
        None => add(&fields, manners, servers),
    }
}

/// Adds every server of the mapping; one of a known name takes the earlier one's place.
fn add(fields: &Fields<'_>, manners: Manners, servers: &mut Vec<McpServer>) {
    for entry in fields.entries().iter().filter(|entry| entry.key != "$schema") {
        let Some(server) = server(fields, entry, manners) else { continue };
        match servers.iter_mut().find(|known| known.name == server.name) {
            Some(known) => *known = server,
            None => servers.push(server),
        }
    }
}

fn server<'a>(fields: &Fields<'a>, entry: &'a Entry, manners: Manners) -> Option<McpServer> {
    let mut parts = fields.within(&entry.key, &entry.value)?;
    if entry.key.trim().is_empty() {
        parts.refuse(entry.key_at, "an MCP server has no name; it was ignored", "name the server");
        return None;
    }
    let off = parts.flag("disabled").unwrap_or(false) || !parts.flag("enabled").unwrap_or(true);
    let transport = match kind(&mut parts, manners)? {
        None => stdio(&mut parts)?,
        Some(kind) => http(&mut parts, kind)?,
    };
    Some(McpServer { name: entry.key.clone(), enabled: !off, transport })
}

/// The protocol of a service, nothing for a program; no answer if that was refused.
fn kind(parts: &mut Fields<'_>, manners: Manners) -> Option<Option<HttpKind>> {
    let Some(node) = parts.take_any(&["type", "transport"]) else {
        return if parts.take("command").is_some() {
            Some(None)
        } else if parts.take_any(&["httpUrl", "serverUrl"]).is_some() {
            Some(Some(HttpKind::Streamable))
        } else if parts.take("url").is_some() {
            Some(Some(manners.plain_url))
        } else {
            let message = format!("`{}` has neither a `command` nor a `url`", parts.name());
            parts.refuse(parts.at(), message, "say how the server is reached");
            None
        };
    };
    match node.as_str().map(fold).as_deref() {
        Some("stdio") => Some(None),
        Some("http" | "streamablehttp") => Some(Some(HttpKind::Streamable)),
        Some("sse") => Some(Some(HttpKind::Sse)),
        Some("ws" | "websocket") => Some(Some(HttpKind::WebSocket)),
        _ => {
            let message = format!("`{}` is no transport that is known", parts.named("type"));
            parts.refuse(node.at, message, "write `stdio`, `http`, `sse` or `ws`");
            None
        }
    }
}

fn stdio(parts: &mut Fields<'_>) -> Option<Transport> {
    let command = parts.required("command")?;
    let args = list_of_text(parts, "args")?;
    let env = pairs_of_text(parts, "env")?;
    let cwd = parts.text("cwd");
    for (key, place) in [("command", command.as_str()), ("cwd", cwd.as_deref().unwrap_or_default())] {
        if leaves(key, place) {
            let message = format!("`{}` leads out of the plugin: `{}`", parts.named(key), shown(place));
            parts.refuse(parts.at_key(key), message, "name something in the plugin");
            return None;
        }
    }
    Some(Transport::Stdio { command, args, env, cwd })
}

/// Whether a path leaves the plugin; a program may be one of the machine's, a directory may not.
fn leaves(key: &str, place: &str) -> bool {
    // A leading placeholder stands for the plugin or its data; what follows must stay below it.
    let below = match place.strip_prefix("${").and_then(|rest| rest.split_once('}')) {
        Some((_, below)) => below,
        None if key == "cwd" && path::contained(place).is_err() && !place.is_empty() => return true,
        None if key == "command" && place.starts_with('/') => return false,
        None => place,
    };
    !path::stays_inside(below)
}

fn http(parts: &mut Fields<'_>, kind: HttpKind) -> Option<Transport> {
    let Some(node) = parts.take_any(&["httpUrl", "url", "serverUrl"]) else {
        parts.missing("url");
        return None;
    };
    let url = parts.as_text("url", node)?;
    let schemes: &[&str] = match kind {
        HttpKind::WebSocket => &["ws", "wss"],
        HttpKind::Streamable | HttpKind::Sse => &["http", "https"],
    };
    let is_address = Address::parse(&url).is_some_and(|address| address.has_scheme(schemes));
    if !is_address && !url.contains("${") {
        let message =
            format!("`{}` is no {} address: `{}`", parts.named("url"), schemes.join(" or "), shown(&url));
        parts.refuse(node.at, message, "write the whole address of the server");
        return None;
    }
    let mut headers = pairs_of_text(parts, "headers")?;
    headers.extend(pairs_of_text(parts, "http_headers")?);
    Some(Transport::Http { kind, url, headers })
}
