//! A module of Python whose functions are tools: asked in a container which there are, and remembered by what decides the answer.
//!
//! The module is a stranger's: what it says of itself is read within bounds, and holds for its own plugin alone. Nothing of the
//! person's reaches it before a call was approved.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use guild_manifest::{Digest, canonical};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer;
use super::contained::{Job, told};
use super::kit::{Kit, RUNNER};
use super::shipped::{Offer, Shipped, Start};
use crate::ports::ToolError;
use crate::run::ScratchDirectory;
use crate::schema::Validator;
use crate::workshop::Workshop;

/// The version of what is remembered.
const VERSION: u32 = 1;
/// How long a module may take to register.
const PATIENCE: Duration = Duration::from_secs(30);
/// A module that has more tools than this is no help to anybody.
const MOST_TOOLS: usize = 128;
const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 4096;

/// What a module says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Registration {
    tools: Vec<Function>,
}

/// One of its functions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Function {
    name: String,
    description: String,
    input_schema: Value,
    output_schema: Option<Value>,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    warm: bool,
}

/// What is remembered, with what it is true of.
#[derive(Serialize, Deserialize)]
struct Remembered {
    version: u32,
    key: String,
    digest: String,
    registration: Registration,
}

/// The tools that a module registers.
pub(super) async fn registered(
    workshop: &Workshop<'_>,
    shipped: &Shipped,
    module: &str,
) -> Result<Vec<Offer>, ToolError> {
    let kit = Kit::in_store(workshop.store)?;
    let key = json!({
        "version": VERSION,
        "plugin": shipped.staged.digest.to_string(),
        "module": module,
        "kit": kit.digest.to_string(),
        "image": shipped.image,
    });
    let key = Digest::of(canonical::text_of(&key).as_bytes());
    let file = workshop.places.cache.as_deref().map(|cache| place(cache, &key));
    if let Some(known) = file.as_deref().and_then(|file| recall(file, &key)) {
        return Ok(offers(known, module));
    }
    let registration = ask(workshop, &shipped.staged.root, module).await?;
    check(&registration).map_err(|why| ToolError::Failed(format!("`{module}` registers {why}")))?;
    // Where it cannot be remembered it is asked again.
    if let Some(file) = file {
        remember(&file, &key, &registration).ok();
    }
    Ok(offers(registration, module))
}

fn offers(registration: Registration, module: &str) -> Vec<Offer> {
    let offer = |function: Function| Offer {
        name: function.name,
        description: function.description,
        run: Start::Function { module: module.to_owned() },
        input: function.input_schema,
        output: function.output_schema,
        read_only: function.read_only,
        warm: function.warm,
    };
    registration.tools.into_iter().map(offer).collect()
}

async fn ask(workshop: &Workshop<'_>, root: &Path, module: &str) -> Result<Registration, ToolError> {
    let state = workshop.places.state().map_err(told)?;
    let failed = |error: io::Error| ToolError::Failed(format!("no directory for the module: {error}"));
    let scratch = ScratchDirectory::new(state).map_err(failed)?;
    let job = Job {
        root,
        words: ["python3", RUNNER, "register", module].map(str::to_owned).into(),
        scratch: &scratch,
        env: BTreeMap::new(),
        timeout: Some(PATIENCE),
    };
    let outcome = job.run(workshop).await?;
    let told = answer::read(&outcome, &scratch.output())?.structured.unwrap_or_default();
    serde_json::from_value(told)
        .map_err(|error| ToolError::Failed(format!("`{module}` does not say which tools it has: {error}")))
}

/// What is wrong with what a module registers, as the object of "registers".
fn check(registration: &Registration) -> Result<(), String> {
    let tools = &registration.tools;
    if tools.is_empty() {
        return Err("no tool, and has no function `run`".to_owned());
    }
    if tools.len() > MOST_TOOLS {
        return Err(format!("more than {MOST_TOOLS} tools"));
    }
    let mut names = BTreeSet::new();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    for tool in tools {
        let name = &tool.name;
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            return Err("a tool whose name is none".to_owned());
        }
        if !names.insert(name) {
            return Err(format!("the tool `{name}` multiple times"));
        }
        if tool.description.len() > LONGEST_DESCRIPTION {
            return Err(format!("`{name}` with a description that is too long"));
        }
        for schema in std::iter::once(&tool.input_schema).chain(&tool.output_schema) {
            Validator::new(schema).map_err(|why| format!("`{name}` with a schema that is none: {why}"))?;
        }
    }
    Ok(())
}

fn place(cache: &Path, key: &Digest) -> PathBuf {
    cache.join("tools").join(format!("{}.json", key.to_hex()))
}

/// What is remembered, if it is whole and about this.
fn recall(file: &Path, key: &Digest) -> Option<Registration> {
    let remembered: Remembered = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let Remembered { version, key: whose, digest, registration } = remembered;
    let is_whole = version == VERSION && whose == key.to_string();
    (is_whole && digest == digest_of(&registration)? && check(&registration).is_ok()).then_some(registration)
}

fn remember(file: &Path, key: &Digest, registration: &Registration) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let digest = digest_of(registration).ok_or_else(|| io::Error::other("it has no digest"))?;
    let remembered =
        Remembered { version: VERSION, key: key.to_string(), digest, registration: registration.clone() };
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(&serde_json::to_vec(&remembered)?)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}

fn digest_of(registration: &Registration) -> Option<String> {
    let text = canonical::to_string(registration).ok()?;
    Some(Digest::of(text.as_bytes()).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registration(description: &str) -> Registration {
        let function = Function {
            name: "count".to_owned(),
            description: description.to_owned(),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            read_only: true,
            warm: false,
        };
        Registration { tools: vec![function] }
    }

    #[test]
    fn what_is_remembered_counts_only_whole_and_for_what_it_is_about() {
        let cache = tempfile::tempdir().unwrap();
        let (key, other) = (Digest::of(b"a"), Digest::of(b"b"));
        let file = place(cache.path(), &key);
        assert!(recall(&file, &key).is_none());
        remember(&file, &key, &registration("Counts")).unwrap();
        assert_eq!(recall(&file, &key).unwrap().tools[0].description, "Counts");
        assert!(recall(&file, &other).is_none());
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("Counts", "Pays")).unwrap();
        assert!(recall(&file, &key).is_none());
    }

    #[test]
    fn what_cannot_be_a_tool_is_refused() {
        let with = |change: fn(&mut Function)| {
            let mut registration = registration("Counts");
            change(&mut registration.tools[0]);
            check(&registration)
        };
        assert_eq!(with(|_| {}), Ok(()));
        assert_eq!(with(|tool| tool.name = "a b".to_owned()), Err("a tool whose name is none".to_owned()));
        assert!(
            with(|tool| tool.input_schema = json!({"type": 7}))
                .unwrap_err()
                .contains("a schema that is none")
        );
        let twice = Registration { tools: [registration("a").tools, registration("b").tools].concat() };
        assert_eq!(check(&twice), Err("the tool `count` multiple times".to_owned()));
        assert!(check(&Registration { tools: Vec::new() }).is_err());
    }
}
