//! Plugins: every dialect of manifest, and the layout without one, read into one model.
//!
//! [`read`] is given a directory through [`Files`] and tries the manifests in a fixed order; the first one that is
//! there decides, good or bad. Nothing here opens a file, follows a link, expands a placeholder or looks into a skill.

mod agent_plugin;
mod author;
mod component;
mod contribution;
mod dialect;
mod fields;
mod guild;
mod hooks;
mod inspection;
mod lifecycle;
pub mod marketplace;
mod mcp;
mod metadata;
mod mindroom;
mod model;
mod openclaw;
mod path;
mod setting;
mod vendor;

#[cfg(test)]
mod tests;

use crate::tree::json::Grammar;
use crate::{Code, Pos, Problem};
use fields::{Fields, Manner};
use inspection::{Form, Inspection, MANIFEST_LIMIT};
use std::cell::RefCell;

pub use author::Author;
pub use contribution::{
    ActionHandler, Capability, Component, PromptSection, QueryType, SchemaSource, ToolDeclaration, ToolRun,
};
pub use dialect::Dialect;
pub use lifecycle::Lifecycle;
pub use mcp::{HttpKind, McpServer, Transport};
pub use model::{Dependency, HookSource, Plugin, Scan, Setting, SettingKind, SkillDir};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Missing,
    /// A regular file.
    Bytes(Vec<u8>),
    /// Something else: a directory, a device, a link that the caller does not follow.
    NotAFile,
    /// A file that could not be read, and why.
    Unreadable(String),
}

/// The files of one plugin directory, as the caller reads them; paths are relative to it and use `/`.
pub trait Files {
    /// What is at `path`.
    fn file(&self, path: &str) -> Found;

    /// Whether `path` is a directory; `.` is the plugin itself.
    fn is_dir(&self, path: &str) -> bool;

    /// Whether `path` is a regular file; worth overriding where that is cheaper than reading it.
    fn is_file(&self, path: &str) -> bool {
        matches!(self.file(path), Found::Bytes(_))
    }
}

/// Where a directory stands, and so what makes it a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// In a directory of plugins: the usual layout is enough.
    Candidate,
    /// Anywhere else: only a manifest makes it one.
    Anywhere,
}

/// What came of reading a directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The plugin; none if a problem keeps it out.
    pub plugin: Option<Plugin>,
    /// The manifest that decided; none for the layout without one.
    pub manifest: Option<&'static str>,
    /// What is wrong, by place; each problem names its file, relative to the plugin.
    pub problems: Vec<Problem>,
}

/// Reads the plugin in a directory; none if the directory is no plugin.
pub fn read(directory_name: &str, files: &dyn Files, standing: Standing) -> Option<Reading> {
    let problems = RefCell::new(Vec::new());
    for dialect in Dialect::PROBED {
        let Some(manifest) = dialect.manifest() else { continue };
        let inspection = Inspection { directory_name, files, file: manifest, problems: &problems };
        let plugin = match files.file(manifest) {
            Found::Missing => continue,
            Found::Bytes(bytes) if dialect == Dialect::AgentPlugin && !agent_plugin::claims(&bytes) => {
                continue;
            }
            Found::Bytes(bytes) => from_manifest(dialect, &bytes, inspection),
            other => {
                other.refuse(inspection, Code::PluginInvalid);
                None
            }
        };
        return Some(finish(plugin, Some(manifest), problems));
    }
    if standing == Standing::Anywhere {
        return None;
    }
    let inspection = Inspection { directory_name, files, file: ".", problems: &problems };
    let plugin = vendor::read_bare(inspection)?;
    Some(finish(Some(plugin), None, problems))
}

impl Found {
    /// Reports what is there instead of a file.
    fn refuse(self, inspection: Inspection<'_>, code: Code) {
        let problem = match self {
            Self::Unreadable(why) => {
                let code = if code.excludes() { Code::UnreadableFile } else { code };
                let message = format!("the file cannot be read: {why}");
                Problem::new(code, Pos::START, message, "check who may read it")
            }
            _ => {
                let hint = "put the file itself here, not a link or a directory";
                Problem::new(code, Pos::START, "this is no regular file", hint)
            }
        };
        inspection.report(problem);
    }
}

fn from_manifest(dialect: Dialect, bytes: &[u8], inspection: Inspection<'_>) -> Option<Plugin> {
    let grammar = if dialect == Dialect::OpenClaw { Grammar::Json5 } else { Grammar::Json };
    let form = Form { grammar, limit: MANIFEST_LIMIT, code: Code::PluginInvalid };
    let document = inspection.document(bytes, form)?;
    let fields = |manner, code| Fields::new(inspection, &document, manner, code);
    match dialect {
        Dialect::Guild => Some(guild::read(fields(Manner::Strict, Code::PluginInvalid))),
        Dialect::AgentPlugin => agent_plugin::read(fields(Manner::Exact, Code::PluginInvalid)),
        Dialect::OpenClaw => openclaw::read(fields(Manner::Lenient, Code::PluginField)),
        Dialect::Mindroom => mindroom::read(fields(Manner::Lenient, Code::PluginInvalid)),
        _ => Some(vendor::read(dialect, fields(Manner::Lenient, Code::PluginField))),
    }
}

fn finish(
    plugin: Option<Plugin>,
    manifest: Option<&'static str>,
    problems: RefCell<Vec<Problem>>,
) -> Reading {
    let mut problems = problems.into_inner();
    // The manifest's own problems come first, then those of the files it leads to.
    let is_other = |problem: &Problem| manifest != Some(problem.file.as_str());
    problems.sort_by(|a, b| (is_other(a), &a.file, a.at).cmp(&(is_other(b), &b.file, b.at)));
    let plugin = plugin.filter(|_| !problems.iter().any(Problem::excludes));
    Reading { plugin, manifest, problems }
}
