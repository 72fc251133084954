//! Everything about one skill.

use super::{SkillSummary, lossy};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use std::path::Path;

/// `show`: one skill, or the names near what was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Show<'a> {
    /// Whether it was found.
    pub found: bool,
    /// The skill.
    pub skill: Option<Detail<'a>>,
    /// Names near it, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

/// Everything about one skill.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Detail<'a> {
    /// What a list says of it.
    #[serde(flatten)]
    pub summary: SkillSummary<'a>,
    /// The instructions.
    pub body: String,
    /// The skill's directory.
    #[serde(serialize_with = "lossy::path")]
    #[schemars(with = "String")]
    pub directory: &'a Path,
    /// Its files, relative to the directory.
    pub files: Vec<String>,
    /// The script it runs.
    pub script: Option<&'a str>,
    /// Its parameters.
    pub params: Vec<Param<'a>>,
    /// Its parameters as JSON Schema 2020-12.
    pub params_schema: Option<Json>,
    /// What it declares it needs; the safest default where it declares nothing.
    pub contract: Contract<'a>,
    /// How long a run may take.
    pub timeout_seconds: u32,
    /// How to get what it needs, as it says; `deps` runs one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub install: Vec<super::StepLine>,
    /// Other names that find it.
    pub aliases: &'a [String],
    /// Skills of the same name that this one keeps out.
    #[serde(serialize_with = "lossy::paths")]
    #[schemars(with = "Vec<String>")]
    pub shadows: Vec<&'a Path>,
    /// Globs of files that call for it.
    pub paths: &'a [String],
    /// The digest of its file.
    pub digest: String,
    /// The frontmatter as written.
    pub frontmatter: Json,
    /// How its runs have ended and what people thought, where it has run or was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<super::History>,
    /// What is wrong with it.
    pub diagnostics: Vec<super::ProblemLine<'a>>,
}

/// One parameter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Param<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// Whether it must be given.
    pub required: bool,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<&'a str>,
}

/// What a skill declares it needs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Contract<'a> {
    /// Whether anything is declared at all.
    pub declared: bool,
    /// `none`, `read` or `write`.
    pub workspace: &'static str,
    /// `none` or `host`.
    pub network: &'static str,
    /// Names of environment variables that reach the container.
    pub env: &'a [String],
    /// Tools it may call.
    pub tools: &'a [String],
    /// The image role it runs in.
    pub image_role: &'a str,
    /// JSON Schema of its result.
    pub outputs: Option<Json>,
}
