//! The skills extension: skills with their frontmatter, and every file of them by digest and size.
//!
//! The digests are those of the security hash, so that whoever approves by one has approved by the other.

use guild_engine::{HeldSkill, held_page, held_skill};
use rmcp::ErrorData;
use rmcp::model::{CustomRequest, CustomResult, ErrorCode, ExtensionCapabilities, JsonObject};
use serde_json::{Map, Value, json};

use crate::resources::{located, page, refused};
use crate::server::Server;
use crate::uri;

/// The extension's name.
pub(crate) const ID: &str = "io.modelcontextprotocol/skills";
/// Skills on a page: their files are all hashed.
const PAGE: usize = 20;
/// The main file of every skill that the extension knows.
pub(crate) const MAIN: &str = "SKILL.md";

type Answer = fn(&Server, &Map<String, Value>) -> Result<Value, ErrorData>;

const METHODS: &[(&str, Answer)] =
    &[("skills/list", list), ("skills/get", get), ("resources/directory/read", directory)];

/// What the server says of it.
pub(crate) fn extension() -> ExtensionCapabilities {
    let settings: JsonObject = [("directoryRead".to_owned(), Value::Bool(true))].into_iter().collect();
    [(ID.to_owned(), settings)].into_iter().collect()
}

/// Answers a request of the extension.
pub(crate) fn answer(server: &Server, request: CustomRequest) -> Result<CustomResult, ErrorData> {
    let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None);
    let (_, answer) = METHODS.iter().find(|(method, _)| *method == request.method).ok_or_else(unknown)?;
    let nothing = Map::new();
    let params = request.params.as_ref().and_then(Value::as_object).unwrap_or(&nothing);
    let mut result = answer(server, params)?;
    if let Value::Object(fields) = &mut result {
        fields.insert("resultType".to_owned(), "complete".into());
        fields.insert("ttlMs".to_owned(), 0.into());
        fields.insert("cacheScope".to_owned(), "private".into());
    }
    Ok(CustomResult::new(result))
}

fn list(server: &Server, params: &Map<String, Value>) -> Result<Value, ErrorData> {
    let hall = server.hall();
    let cursor = params.get("cursor").and_then(Value::as_str).map(str::to_owned);
    let (held, next) = held_page(&hall, server.agent(), (page(cursor)?, PAGE));
    let skills: Vec<Value> = held.iter().filter_map(entry).collect();
    let mut result = json!({"skills": skills});
    if let (Some(next), Value::Object(fields)) = (next, &mut result) {
        fields.insert("nextCursor".to_owned(), next.to_string().into());
    }
    Ok(result)
}

fn get(server: &Server, params: &Map<String, Value>) -> Result<Value, ErrorData> {
    let uri = asked(params)?;
    let hall = server.hall();
    let segments = uri::segments(uri).ok_or_else(|| unknown(uri))?;
    let name = segments.strip_suffix(&[MAIN.to_owned()]).unwrap_or(&segments).join("/");
    let held = held_skill(&hall, &name, &server.principal()).map_err(|refusal| refused(&refusal))?;
    let skill = entry(&held).ok_or_else(|| unknown(uri))?;
    Ok(json!({"skill": skill}))
}

/// The direct children of a directory of a skill.
fn directory(server: &Server, params: &Map<String, Value>) -> Result<Value, ErrorData> {
    let uri = asked(params)?;
    let hall = server.hall();
    let found = located(server, &hall, uri.strip_suffix('/').unwrap_or(uri));
    let (held, below) = found.ok_or_else(|| unknown(uri))?;
    let name = held.entry().qualified_name();
    let children = children(&held.paths(), &below);
    if children.is_empty() {
        return Err(unknown(uri));
    }
    let resource = |(child, is_directory): &(String, bool)| {
        let path = if below.is_empty() { child.clone() } else { format!("{below}/{child}") };
        let kind = match (is_directory, child.ends_with(".md")) {
            (true, _) => "inode/directory",
            (false, true) => "text/markdown",
            (false, false) => "application/octet-stream",
        };
        json!({"uri": uri::of(&name, Some(&path)), "name": child, "mimeType": kind})
    };
    Ok(json!({"resources": children.iter().map(resource).collect::<Vec<_>>()}))
}

/// What lies directly in a directory, and whether it is one itself.
fn children(paths: &[String], below: &str) -> Vec<(String, bool)> {
    let mut children: Vec<(String, bool)> = Vec::new();
    for path in paths {
        let inside = if below.is_empty() {
            Some(path.as_str())
        } else {
            path.strip_prefix(below).and_then(|rest| rest.strip_prefix('/'))
        };
        let Some(inside) = inside else { continue };
        let child = match inside.split_once('/') {
            Some((directory, _)) => (directory.to_owned(), true),
            None => (inside.to_owned(), false),
        };
        if !children.contains(&child) {
            children.push(child);
        }
    }
    children
}

/// A skill as the extension tells it; nothing for one whose name or main file the extension has no words for.
fn entry(held: &HeldSkill<'_>) -> Option<Value> {
    let name = held.entry().qualified_name();
    let frontmatter = held.frontmatter().ok()?.to_json();
    let is_named = frontmatter.get("name").and_then(Value::as_str) == name.rsplit('/').next();
    if held.entry().place.file != MAIN || !is_named {
        return None;
    }
    let file = |file: guild_engine::SkillFile| json!({"uri": uri::of(&name, Some(&file.path)), "digest": file.digest.to_string(), "size": file.size});
    let resources: Vec<Value> = held.files().into_iter().map(file).collect();
    Some(json!({"uri": uri::of(&name, Some(MAIN)), "frontmatter": frontmatter, "resources": resources}))
}

fn asked(params: &Map<String, Value>) -> Result<&str, ErrorData> {
    let missing = || ErrorData::invalid_params("`uri` is missing", None);
    params.get("uri").and_then(Value::as_str).ok_or_else(missing)
}

fn unknown(uri: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no skill or directory at `{uri}`"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(below: &str, expected: &[(&str, bool)]) {
        let paths =
            ["SKILL.md", "references/a.md", "references/deep/b.md", "referencesx/c"].map(str::to_owned);
        let expected: Vec<(String, bool)> =
            expected.iter().map(|(name, is)| ((*name).to_owned(), *is)).collect();
        assert_eq!(children(&paths, below), expected, "{below}");
    }

    #[test]
    fn a_directory_has_its_direct_children() {
        check("", &[("SKILL.md", false), ("references", true), ("referencesx", true)]);
        check("references", &[("a.md", false), ("deep", true)]);
        check("references/deep", &[("b.md", false)]);
        check("nowhere", &[]);
        check("SKILL.md", &[]);
    }
}
