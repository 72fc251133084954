//! Vendors' gates inside `metadata`: OpenClaw's block under its present and former names, and Hermes's.

use super::{InstallStep, Requirements};
use crate::skill::{list_of, text_of};
use crate::tree::{Map, Node};
use crate::{Code, Problem, coerce};

/// The names that one and the same block has had.
const OPENCLAW_NAMES: &[&str] = &["openclaw", "clawdbot", "moltbot", "clawdis"];

/// Adds what vendors' blocks ask for.
pub fn read(map: &Map, metadata: Option<&Map>, found: &mut Requirements, problems: &mut Vec<Problem>) {
    let inside = metadata.and_then(|metadata| OPENCLAW_NAMES.iter().find_map(|name| metadata.get(name)));
    let block = inside.or_else(|| map.get_exact("metadata.openclaw"));
    if let Some(block) = block.and_then(|node| section("metadata.openclaw", node, problems)) {
        openclaw(block, found, problems);
    }
    let hermes = metadata.and_then(|metadata| metadata.get("hermes"));
    if let Some(block) = hermes.and_then(|node| section("metadata.hermes", node, problems)) {
        found.tools.extend(list_of(block, "requires_tools", problems));
    }
}

fn openclaw(block: &Map, found: &mut Requirements, problems: &mut Vec<Problem>) {
    found.always |= block.get("always").and_then(coerce::boolean) == Some(true);
    found.os.extend(list_of(block, "os", problems));
    found.primary_env = text_of(block, "primaryEnv", problems);
    found.config_key = text_of(block, "skillKey", problems);
    if let Some(requires) = block.get("requires").and_then(|node| section("requires", node, problems)) {
        found.bins.extend(list_of(requires, "bins", problems));
        found.any_bins.extend(list_of(requires, "anyBins", problems));
        found.env.extend(list_of(requires, "env", problems));
        found.config.extend(list_of(requires, "config", problems));
    }
    if let Some(steps) = block.get("install").and_then(Node::as_list) {
        found.install.extend(steps.iter().filter_map(Node::as_map).filter_map(install_step));
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
