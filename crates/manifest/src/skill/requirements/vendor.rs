//! Vendors' gates inside `metadata`: OpenClaw's block under its present and former names, and Hermes's.

use super::{InstallStep, Requirements};
use crate::skill::{flag, list_of, text_of};
use crate::tree::{Map, Node};
use crate::{Code, Problem};

/// The names that one and the same block has had.
const OPENCLAW_NAMES: &[&str] = &["openclaw", "clawdbot", "moltbot", "clawdis"];

/// Whether a text that should have been metadata speaks of a vendor's block.
pub fn is_named_in(text: &str) -> bool {
    let is_name = |word: &str| OPENCLAW_NAMES.contains(&word) || word == "hermes";
    let is_separator = |c: char| !c.is_alphanumeric();
    text.contains(':') && text.split(is_separator).any(is_name)
}

/// Adds what vendors' blocks ask for.
pub fn read(map: &Map, metadata: Option<&Map>, found: &mut Requirements, problems: &mut Vec<Problem>) {
    let inside =
        metadata.into_iter().flat_map(|metadata| OPENCLAW_NAMES.iter().map(|name| metadata.get(name)));
    let mut blocks =
        inside.flatten().chain(map.get_exact("metadata.openclaw")).filter(|node| !node.is_null());
    if let Some(node) = blocks.next() {
        if let Some(block) = section("metadata.openclaw", node, problems) {
            openclaw(block, found, problems);
        }
        for other in blocks.filter(|other| other.to_data() != node.to_data()) {
            let message = "the metadata has the same vendor's block under two names; this one was ignored";
            problems.push(Problem::new(Code::ValueInvalid, other.at, message, "keep one, as `openclaw:`"));
        }
    }
    let hermes = metadata.and_then(|metadata| metadata.get("hermes"));
    if let Some(block) = hermes.and_then(|node| section("metadata.hermes", node, problems)) {
        found.tools.extend(list_of(block, "requires_tools", problems));
    }
}

fn openclaw(block: &Map, found: &mut Requirements, problems: &mut Vec<Problem>) {
    found.always |= flag(block, "always", problems) == Some(true);
    found.os.extend(gate(block, "os", problems));
    found.primary_env = text_of(block, "primaryEnv", problems);
    found.config_key = text_of(block, "skillKey", problems);
    if let Some(requires) = block.get("requires").and_then(|node| section("requires", node, problems)) {
        found.bins.extend(gate(requires, "bins", problems));
        found.any_bins.extend(gate(requires, "anyBins", problems));
        found.env.extend(gate(requires, "env", problems));
        found.config.extend(gate(requires, "config", problems));
    }
    if let Some(steps) = block.get("install").and_then(Node::as_list) {
        found.install.extend(steps.iter().filter_map(Node::as_map).filter_map(install_step));
    }
}

/// The list under `key` of a gate; a mapping there means that the gate cannot be kept.
fn gate(map: &Map, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
    match map.get(key).filter(|node| node.as_map().is_some()) {
        Some(node) => {
            let message = format!("`{key}` is a mapping, not a list, so its gate cannot be kept");
            problems.push(Problem::new(Code::VendorMetadataInvalid, node.at, message, "write `[a, b]`"));
            Vec::new()
        }
        None => list_of(map, key, problems),
    }
}

/// A step that names its kind and its target; others are dropped, as the vendor does.
fn install_step(step: &Map) -> Option<InstallStep> {
    let text = |key: &str| text_of(step, key, &mut Vec::new());
    let kind = text("kind").or_else(|| text("type"))?;
    let target = ["formula", "cask", "package", "module", "url"].iter().find_map(|key| text(key))?;
    Some(InstallStep { kind, target, label: text("label"), bins: list_of(step, "bins", &mut Vec::new()) })
}

/// The block as a mapping; anything else means that the gate cannot be kept.
fn section<'a>(name: &str, node: &'a Node, problems: &mut Vec<Problem>) -> Option<&'a Map> {
    let map = node.as_map();
    if map.is_none() && !node.is_null() {
        let message = format!("`{name}` is {}, not a mapping, so its gate cannot be kept", node.what());
        problems.push(Problem::new(Code::VendorMetadataInvalid, node.at, message, "write it as a mapping"));
    }
    map
}
