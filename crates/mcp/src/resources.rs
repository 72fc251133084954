//! Skills' files, and what runs have printed at length, as resources.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use guild_engine::{Envelope, Hall, HeldSkill, Refusal, Status, held_page, held_skill, receipts_show, reply};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};

use serde_json::Value;

use crate::server::Server;
use crate::{outcome, uri};

/// Skills on a page.
const PAGE: usize = 100;
/// What is kept of a stream that is too long for a model.
const KEPT: usize = 8_000;
/// What runs have printed is addressed by this, the receipt and the stream.
const RUNS: &str = "guild://runs/";

/// A page of skills' main files.
pub(crate) fn list(server: &Server, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let hall = server.hall();
    let (skills, next) = held_page(&hall, server.agent(), (page(cursor)?, PAGE));
    let resources = skills.iter().map(main_file).collect();
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next.map(|next| next.to_string());
    Ok(result)
}

/// The addresses that there can be.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{}{{+skill}}/{{+file}}", uri::SCHEME), "skill-file")
            .with_description("A file of a skill; SKILL.md holds its instructions"),
    ]
}

/// One resource.
pub(crate) async fn read(server: &Server, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if let Some(address) = uri.strip_prefix(RUNS) {
        return printed(server, uri, address).await;
    }
    let hall = server.hall();
    let found = located(server, &hall, uri).filter(|(_, path)| !path.is_empty());
    let (skill, path) = found.ok_or_else(|| unknown(uri))?;
    let bytes = skill.read(Some(&path)).map_err(|refusal| refused(&refusal))?;
    Ok(ReadResourceResult::new(vec![contents(uri, &path, bytes)]))
}

/// The skill at an address, and what of the address leads on into it.
pub(crate) fn located<'h>(server: &Server, hall: &'h Hall, uri: &str) -> Option<(HeldSkill<'h>, String)> {
    let segments = uri::segments(uri)?;
    // A name of two segments is looked for first: a plugin's skill, and not a file of a skill that is called like the plugin.
    [2, 1].into_iter().find_map(|count| {
        let (name, path) = segments.split_at_checked(count)?;
        let held = held_skill(hall, &name.join("/"), &server.principal()).ok()?;
        Some((held, path.join("/")))
    })
}

/// A run's result with its streams cut, and links to the whole of them.
pub(crate) fn shortened(envelope: &Envelope<reply::Run>, text: &str) -> CallToolResult {
    let mut data = envelope.data.clone();
    let mut links = Vec::new();
    if let Some(receipt) = data.receipt.clone() {
        for (name, stream) in [("stdout", &mut data.stdout), ("stderr", &mut data.stderr)] {
            if stream.len() > KEPT {
                *stream = cut(stream).to_owned();
                data.truncated = true;
                let whole = Resource::new(format!("{RUNS}{receipt}/{name}"), format!("the whole {name}"));
                links.push(ContentBlock::resource_link(whole.with_mime_type("text/plain")));
            }
        }
    }
    // What was printed is its result as well, where nothing else was.
    if data.output.as_ref().is_some_and(|output| output.to_string().len() > outcome::MOST_CHARACTERS) {
        data.output = None;
    }
    let shorter = match envelope.status {
        Status::Ok => Envelope::ok(data).with_message(envelope.message.clone()),
        Status::Error => Envelope::error(envelope.code, envelope.message.clone(), data),
    };
    let mut result = outcome::of(&shorter, format!("{}\n[cut; the rest is in a resource]", cut(text)));
    result.content.extend(links);
    result
}

/// Where a page begins.
pub(crate) fn page(cursor: Option<String>) -> Result<usize, ErrorData> {
    let invalid = || ErrorData::invalid_params("the cursor is none of this server's", None);
    cursor.map_or(Ok(0), |cursor| cursor.parse().map_err(|_| invalid()))
}

/// A refusal as an error of the protocol.
pub(crate) fn refused(refusal: &Refusal) -> ErrorData {
    ErrorData::invalid_params(outcome::said(refusal.code, &refusal.message), None)
}

fn main_file(skill: &HeldSkill<'_>) -> Resource {
    let entry = skill.entry();
    let name = entry.qualified_name();
    Resource::new(uri::of(&name, Some(&entry.place.file)), name)
        .with_description(entry.skill.description.clone())
        .with_mime_type("text/markdown")
}

fn contents(uri: &str, path: &str, bytes: Vec<u8>) -> ResourceContents {
    match String::from_utf8(bytes) {
        Ok(text) => {
            let kind = if path.ends_with(".md") { "text/markdown" } else { "text/plain" };
            ResourceContents::text(text, uri).with_mime_type(kind)
        }
        Err(error) => ResourceContents::blob(BASE64_STANDARD.encode(error.as_bytes()), uri)
            .with_mime_type("application/octet-stream"),
    }
}

async fn printed(server: &Server, uri: &str, address: &str) -> Result<ReadResourceResult, ErrorData> {
    let (receipt, stream) = address.split_once('/').ok_or_else(|| unknown(uri))?;
    let premises = server.premises();
    let shown = receipts_show(&premises.books, Some(premises.store()), receipt).await.data;
    // Another agent's runs are none of this one's business.
    let agent = shown.receipt.as_ref().and_then(|receipt| receipt.pointer("/principal/agent"));
    let is_own = agent.and_then(Value::as_str) == Some(server.agent());
    let text = match stream {
        "stdout" => shown.stdout,
        "stderr" => shown.stderr,
        _ => None,
    };
    let text = text.filter(|_| is_own).ok_or_else(|| unknown(uri))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type("text/plain")]))
}

fn cut(text: &str) -> &str {
    let end = (0..=KEPT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource `{uri}`"), None)
}
