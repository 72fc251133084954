//! The skills extension from the other side: what a server says of its skills, and the bytes of their files.
//!
//! Wire types alone: whether a file is what was offered is for the engine to say.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use guild_engine::manifest::Digest;
use guild_engine::ports::{OfferedFile, OfferedSkill};
use rmcp::model::{
    ClientRequest, CustomRequest, ExtensionCapabilities, JsonObject, ReadResourceResponse, ResourceContents,
    ServerCapabilities, ServerResult,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::skills::{ID, MAIN};
use crate::uri;

/// What the client says of it.
pub(super) fn extension() -> ExtensionCapabilities {
    [(ID.to_owned(), JsonObject::new())].into_iter().collect()
}

/// Whether a server has it.
pub(super) fn is_among(capabilities: &ServerCapabilities) -> bool {
    capabilities.extensions.as_ref().is_some_and(|extensions| extensions.contains_key(ID))
}

/// Asks for a page of skills.
pub(super) fn list(cursor: Option<String>) -> ClientRequest {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    ClientRequest::CustomRequest(CustomRequest::new("skills/list", Some(params)))
}

/// A page of skills.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    pub(super) skills: Vec<Entry>,
    pub(super) next_cursor: Option<String>,
}

/// A skill as a server tells it.
#[derive(Deserialize)]
pub(super) struct Entry {
    uri: String,
    frontmatter: JsonObject,
    /// A list of files, or a word for that there is none.
    resources: Value,
}

#[derive(Deserialize)]
struct Resource {
    uri: String,
    digest: Digest,
    size: u64,
}

/// Reads a page; nothing where the answer is none.
pub(super) fn page(answer: ServerResult) -> Option<Page> {
    match answer {
        ServerResult::CustomResult(result) => serde_json::from_value(result.0).ok(),
        _ => None,
    }
}

/// The bytes that an answer has for an address; nothing where it has others, or more than one.
pub(super) fn bytes(answer: ReadResourceResponse, asked: &str) -> Option<Vec<u8>> {
    let ReadResourceResponse::Complete(result) = answer else { return None };
    match <[ResourceContents; 1]>::try_from(result.contents).ok()? {
        [ResourceContents::TextResourceContents { uri, text, .. }] if uri == asked => Some(text.into_bytes()),
        [ResourceContents::BlobResourceContents { uri, blob, .. }] if uri == asked => {
            STANDARD.decode(blob).ok()
        }
        _ => None,
    }
}

impl Entry {
    /// The skill, if it has a name.
    pub(super) fn offered(self) -> Option<OfferedSkill> {
        let text = |key: &str| self.frontmatter.get(key).and_then(Value::as_str).map(str::to_owned);
        let name = text("name")?;
        let description = text("description").unwrap_or_default();
        let files = self.files(&name);
        Some(OfferedSkill { name, description, frontmatter: Value::Object(self.frontmatter), files })
    }

    fn files(&self, name: &str) -> Result<Vec<OfferedFile>, String> {
        let directory = self.uri.strip_suffix(MAIN).filter(|directory| {
            let last = directory.strip_suffix('/').and_then(|directory| directory.rsplit('/').next());
            last.and_then(uri::decoded).as_deref() == Some(name)
        });
        let directory = directory.ok_or_else(|| format!("its address is none of a skill `{name}`"))?;
        if self.resources == "dynamic" {
            return Err("the server does not say what its files are".to_owned());
        }
        let resources: Vec<Resource> = Vec::deserialize(&self.resources)
            .map_err(|_| "its files are not told by address, digest and size".to_owned())?;
        let mut files: Vec<OfferedFile> = Vec::new();
        for Resource { uri, digest, size } in resources {
            let below = uri.strip_prefix(directory).and_then(path);
            let path = below.ok_or_else(|| format!("`{uri}` is not one of its files"))?;
            if files.iter().any(|known| known.path == path) {
                return Err(format!("`{path}` is among its files twice"));
            }
            files.push(OfferedFile { path, uri, digest, size });
        }
        if files.iter().any(|file| file.path == MAIN) {
            Ok(files)
        } else {
            Err(format!("its `{MAIN}` is not among its files"))
        }
    }
}

/// The path that the end of an address stands for.
fn path(encoded: &str) -> Option<String> {
    let names: Vec<String> = encoded.split('/').map(uri::decoded).collect::<Option<_>>()?;
    let is_plain = names.iter().all(|name| !matches!(name.as_str(), "" | "." | ".."));
    is_plain.then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[track_caller]
    fn check(uri: &str, resources: &Value, expected: &str) {
        let told = json!({"uri": uri, "frontmatter": {"name": "greet", "description": "Greets"}, "resources": resources});
        let entry: Entry = serde_json::from_value(told).unwrap();
        let shown = match entry.offered().unwrap().files {
            Ok(files) => files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(", "),
            Err(why) => format!("no: {why}"),
        };
        assert_eq!(shown, expected);
    }

    fn files(uris: &[&str]) -> Value {
        uris.iter().map(|uri| json!({"uri": uri, "digest": DIGEST, "size": 0})).collect()
    }

    const MAIN_URI: &str = "skill://acme/greet/SKILL.md";

    #[test]
    fn files_lie_where_their_addresses_say() {
        let uris = [MAIN_URI, "skill://acme/greet/references/a%20b.md"];
        check(MAIN_URI, &files(&uris), "SKILL.md, references/a b.md");
        let other = "https://skills.example/greet/SKILL.md";
        check(other, &files(&[other]), "SKILL.md");
    }

    #[test]
    fn what_is_not_told_whole_is_not_taken() {
        check(MAIN_URI, &json!("dynamic"), "no: the server does not say what its files are");
        for file in [
            json!({"uri": MAIN_URI, "digest": DIGEST}),
            json!({"uri": MAIN_URI, "digest": "md5:1", "size": 0}),
        ] {
            check(MAIN_URI, &json!([file]), "no: its files are not told by address, digest and size");
        }
        check(MAIN_URI, &files(&["skill://acme/greet/a.md"]), "no: its `SKILL.md` is not among its files");
        check(MAIN_URI, &files(&[MAIN_URI, MAIN_URI]), "no: `SKILL.md` is among its files twice");
        for outside in ["other/a.md", "greet/../x", "greet/%2e%2e/x", "greet/a//b", "greet/"] {
            let outside = format!("skill://acme/{outside}");
            let expected = format!("no: `{outside}` is not one of its files");
            check(MAIN_URI, &files(&[MAIN_URI, &outside]), &expected);
        }
        for uri in ["skill://acme/other/SKILL.md", "skill://acme/greet", "greet/SKILL.txt"] {
            check(uri, &files(&[]), "no: its address is none of a skill `greet`");
        }
    }
}
