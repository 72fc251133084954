//! Writing a skill that is not there yet, whole or not at all.
//!
//! Nothing is ever overwritten, neither by this layout nor beside the other one. Whether the content is safe is the
//! vet's business, and what its frontmatter says the reader's: only the structure is checked here.

mod template;
#[cfg(test)]
mod tests;

use crate::validate;
use guild_manifest::Problem;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub use template::template;

/// How a skill lies in its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `<name>/SKILL.md`, with room for files beside it.
    Directory,
    /// `<name>.md` alone.
    Flat,
}

/// A skill to be written.
#[derive(Debug, Clone, Copy)]
pub struct Draft<'a> {
    /// The directory that holds skills; it and its parents are made if they are missing.
    pub root: &'a Path,
    /// The name; it becomes that of the file or directory.
    pub name: &'a str,
    /// How it is to lie in the root.
    pub layout: Layout,
    /// The whole file, or nothing for the template.
    pub content: Option<&'a str>,
}

/// Why a skill was not written.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// The name breaks the rule for names.
    #[error(
        "invalid skill name {name:?}: letters from a to z, digits, `.`, `_` and `-`, at most 64, the first a letter or a digit"
    )]
    InvalidName {
        /// The name.
        name: String,
    },
    /// The flat file would be taken for the `SKILL.md` of the root itself.
    #[error("a flat skill cannot be named `{name}`, for `SKILL.md` belongs to a directory's own skill")]
    ReservedName {
        /// The name.
        name: String,
    },
    /// A skill of that name is there, in one layout or the other and in whatever letter case.
    #[error("the skill already exists at {}", path.display())]
    AlreadyExists {
        /// Where.
        path: PathBuf,
    },
    /// The content has not the structure of a skill.
    #[error("the content has not the structure of a skill")]
    Rejected {
        /// What it lacks.
        problems: Vec<Problem>,
    },
    /// The file system refused.
    #[error("cannot write {}", path.display())]
    Write {
        /// What could not be written.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

/// Writes a skill that is not there yet and returns the path of its file.
///
/// Of several that write one path at once exactly one succeeds. Of two that write one name in different layouts or
/// letter cases at the same moment at most one does.
pub fn create(draft: &Draft<'_>) -> Result<PathBuf, CreateError> {
    check_name(draft)?;
    let content = draft.content.map_or_else(|| Cow::Owned(template(draft.name, None)), Cow::Borrowed);
    let problems = validate::structure(&content);
    if !problems.is_empty() {
        return Err(CreateError::Rejected { problems });
    }
    fs::create_dir_all(draft.root)
        .map_err(|source| CreateError::Write { path: draft.root.to_owned(), source })?;
    refuse_other(draft, None)?;
    match draft.layout {
        Layout::Directory => create_directory(draft, &content),
        Layout::Flat => create_flat(draft, &content),
    }
}

fn check_name(draft: &Draft<'_>) -> Result<(), CreateError> {
    let name = draft.name.to_owned();
    if !validate::is_valid_name(&name) {
        return Err(CreateError::InvalidName { name });
    }
    if draft.layout == Layout::Flat && name.eq_ignore_ascii_case("skill") {
        return Err(CreateError::ReservedName { name });
    }
    Ok(())
}

fn create_directory(draft: &Draft<'_>, content: &str) -> Result<PathBuf, CreateError> {
    let directory = draft.root.join(draft.name);
    fs::create_dir(&directory).map_err(|source| write_error(&directory, source))?;
    let path = directory.join("SKILL.md");
    refuse_other(draft, Some(OsStr::new(draft.name)))
        .and_then(|()| publish(&directory, &path, content))
        // Only an empty directory can be removed so: what somebody else put there in the meantime stays.
        .inspect_err(|_| drop(fs::remove_dir(&directory)))?;
    Ok(path)
}

fn create_flat(draft: &Draft<'_>, content: &str) -> Result<PathBuf, CreateError> {
    let file = format!("{}.md", draft.name);
    let path = draft.root.join(&file);
    publish(draft.root, &path, content)?;
    refuse_other(draft, Some(OsStr::new(&file))).inspect_err(|_| drop(fs::remove_file(&path)))?;
    Ok(path)
}

/// Refuses the draft if its root holds a skill of that name, other than the entry `own`.
///
/// It is asked once before anything is written, and again when the own entry stands: of two that write at once, the
/// later one then sees the other.
fn refuse_other(draft: &Draft<'_>, own: Option<&OsStr>) -> Result<(), CreateError> {
    let flat = format!("{}.md", draft.name);
    let entries = fs::read_dir(draft.root).map_err(|source| write_error(draft.root, source))?;
    for entry in entries {
        let entry = entry.map_err(|source| write_error(draft.root, source))?.file_name();
        let same = entry.eq_ignore_ascii_case(draft.name) || entry.eq_ignore_ascii_case(&flat);
        if same && own != Some(entry.as_os_str()) {
            return Err(CreateError::AlreadyExists { path: draft.root.join(entry) });
        }
    }
    Ok(())
}

/// Puts a whole file in place of nothing.
fn publish(directory: &Path, path: &Path, content: &str) -> Result<(), CreateError> {
    // Opened like any other file, so that it gets the permissions that the user's mask allows.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let written =
        tempfile::Builder::new().prefix(".guild-").suffix(".tmp").make_in(directory, open).and_then(
            |mut file| {
                file.as_file_mut().write_all(content.as_bytes())?;
                file.as_file().sync_all()?;
                Ok(file)
            },
        );
    let file = written.map_err(|source| write_error(path, source))?;
    file.persist_noclobber(path).map(drop).map_err(|refused| write_error(path, refused.error))
}

fn write_error(path: &Path, source: io::Error) -> CreateError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::AlreadyExists => CreateError::AlreadyExists { path },
        _ => CreateError::Write { path, source },
    }
}
