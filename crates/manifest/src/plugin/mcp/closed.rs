//! `mcp.json` of Agent Plugins 1.0.0: a closed form, in which a bad document disables servers and a bad entry itself.

use super::address::Address;
use super::{HttpKind, McpServer, Transport, list_of_text, pairs_of_text};
use crate::Code;
use crate::plugin::fields::{Fields, Manner};
use crate::plugin::inspection::{Form, Inspection, MANIFEST_LIMIT, shown};
use crate::plugin::{Found, path};
use crate::tree::{Entry, json::Grammar};
use std::collections::HashSet;

/// Where the servers are declared; there is no other place.
const FILE: &str = "mcp.json";
/// The schema that the file has to name.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
/// Variables that the host sets and nobody else.
const RESERVED: [&str; 2] = ["PLUGIN_ROOT", "PLUGIN_DATA"];

/// The servers that `mcp.json` declares.
pub(in crate::plugin) fn read(inspection: Inspection<'_>) -> Vec<McpServer> {
    let inspection = inspection.at_file(FILE);
    let form = Form { grammar: Grammar::Json, limit: MANIFEST_LIMIT, code: Code::ServerInvalid };
    let document = match inspection.files.file(FILE) {
        Found::Missing => None,
        Found::Bytes(bytes) => inspection.document(&bytes, form),
        other => {
            other.refuse(inspection, Code::ServerInvalid);
            None
        }
    };
    let Some(document) = document else { return Vec::new() };
    let mut fields = Fields::new(inspection, &document, Manner::Exact, Code::ServerInvalid);
    let Some(servers) = accepted(&mut fields) else { return Vec::new() };
    servers.entries().iter().filter_map(|entry| server(&servers, entry)).collect()
}

/// The mapping of servers, if the document around it keeps every rule.
fn accepted<'a>(fields: &mut Fields<'a>) -> Option<Fields<'a>> {
    let schema = fields.required("$schema")?;
    if schema != SCHEMA {
        let message = format!("`$schema` is `{}`, so no server is read", shown(&schema));
        fields.refuse(fields.at_key("$schema"), message, format!("write `{SCHEMA}`"));
        return None;
    }
    let servers = fields.take("mcpServers");
    if let Some(entry) = fields.rest().next() {
        let message = format!("`{}` does not belong in this file, so no server is read", shown(&entry.key));
        fields.refuse(entry.key_at, message, "keep `$schema` and `mcpServers` only");
        return None;
    }
    match servers {
        Some(node) => fields.within("mcpServers", node),
        None => {
            fields.missing("mcpServers");
            None
        }
    }
}

fn server<'a>(servers: &Fields<'a>, entry: &'a Entry) -> Option<McpServer> {
    let mut parts = servers.within(&entry.key, &entry.value)?;
    let kind = parts.required("type")?;
    let transport = match kind.as_str() {
        "stdio" => stdio(&mut parts),
        "streamable-http" => http(&mut parts, HttpKind::Streamable),
        "sse" => http(&mut parts, HttpKind::Sse),
        _ => {
            let message = format!("`{}` is `{}`, which is no transport", parts.named("type"), shown(&kind));
            parts.refuse(parts.at_key("type"), message, "write `stdio`, `streamable-http` or `sse`");
            None
        }
    }?;
    if let Some(extra) = parts.rest().next() {
        let message = format!("`{}` does not belong to a {kind} server", parts.named(&extra.key));
        parts.refuse(extra.key_at, message, "remove it");
        return None;
    }
    Some(McpServer { name: entry.key.clone(), enabled: true, transport })
}

fn stdio(parts: &mut Fields<'_>) -> Option<Transport> {
    let command = parts.required("command")?;
    let args = list_of_text(parts, "args")?;
    let env = pairs_of_text(parts, "env")?;
    let cwd = match parts.take("cwd") {
        Some(node) => Some(parts.as_text("cwd", node)?),
        None => None,
    };
    let fault = if !is_command(&command) {
        Some(("command", "is neither a bare program name nor a `./` path inside the plugin"))
    } else if !cwd.as_deref().is_none_or(is_working_directory) {
        Some(("cwd", "does not stay below `./`, `${PLUGIN_ROOT}` or `${PLUGIN_DATA}`"))
    } else if env.iter().any(|(name, _)| RESERVED.contains(&name.as_str())) {
        Some(("env", "sets a variable that the host sets itself"))
    } else {
        None
    };
    if let Some((key, wrong)) = fault {
        parts.refuse(
            parts.at_key(key),
            format!("`{}` {wrong}", parts.named(key)),
            format!("correct `{key}`"),
        );
        return None;
    }
    Some(Transport::Stdio { command, args, env, cwd })
}

/// A command is one token: a name to be searched for, or a path in the plugin. Spaces in a path are part of it.
fn is_command(command: &str) -> bool {
    match command.strip_prefix("./") {
        Some(below) => !below.is_empty() && path::stays_inside(below),
        None => {
            let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '\\' | '$');
            !command.contains(is_odd) && !matches!(command, "." | "..")
        }
    }
}

fn is_working_directory(cwd: &str) -> bool {
    let below_root = ["${PLUGIN_ROOT}", "${PLUGIN_DATA}"].iter().find_map(|root| cwd.strip_prefix(root));
    let below = match below_root {
        Some(below) if below.is_empty() || below.starts_with('/') => Some(below),
        Some(_) => None,
        None => cwd.strip_prefix("./"),
    };
    below.is_some_and(path::stays_inside)
}

fn http(parts: &mut Fields<'_>, kind: HttpKind) -> Option<Transport> {
    let url = parts.required("url")?;
    let headers = pairs_of_text(parts, "headers")?;
    let fault =
        address_fault(&url).map(|wrong| ("url", wrong)).or(headers_fault(&headers).map(|w| ("headers", w)));
    if let Some((key, wrong)) = fault {
        parts.refuse(
            parts.at_key(key),
            format!("`{}` {wrong}", parts.named(key)),
            format!("correct `{key}`"),
        );
        return None;
    }
    Some(Transport::Http { kind, url, headers })
}

fn address_fault(url: &str) -> Option<&'static str> {
    match Address::parse(url) {
        Some(address) if address.has_scheme(&["http", "https"]) => {
            if address.has_user {
                Some("names a user")
            } else if address.has_fragment {
                Some("ends in a fragment")
            } else if address.has_scheme(&["http"]) && !address.is_loopback() {
                Some("is not encrypted and not on this machine")
            } else {
                None
            }
        }
        _ => Some("is no http or https address"),
    }
}

fn headers_fault(headers: &[(String, String)]) -> Option<&'static str> {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_token);
    let is_value = |value: &str| value.trim() == value && !value.chars().any(|c| c.is_control() && c != '\t');
    let mut names = HashSet::new();
    if headers.iter().any(|(name, value)| !is_name(name) || !is_value(value)) {
        Some("holds what is no header")
    } else if !headers.iter().all(|(name, _)| names.insert(name.to_ascii_lowercase())) {
        Some("names one header twice")
    } else {
        None
    }
}
