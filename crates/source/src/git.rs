//! Repositories, fetched by the git program with the person's own credentials and with nothing else of git's that runs code; one that
//! lies on this disk is read where it lies (`local`).
//!
//! There is never a work tree: no hook, filter, submodule or attribute of a repository is obeyed. What a commit holds is listed, and its
//! files land as those of an archive do. Processes are started by whoever implements [`GitProgram`]; none is started here.

mod call;
mod error;
mod local;
mod loose;
mod objects;

use crate::landing::{Bounds, Landing, Strictness};
use crate::spec::{GitSpec, is_commit};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

pub use call::{GitAnswer, GitCall, GitFailure, GitProgram};
pub use error::GitError;

use call::{Git, succeeded};

/// How much of a repository may land.
const BOUNDS: Bounds = Bounds { names: 50_000, bytes: 512 * 1024 * 1024 };

/// What was fetched of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The commit.
    pub commit: String,
    /// The ref that it was found by, as the person named it; nothing for the default branch.
    pub reference: Option<String>,
    /// The directory in it.
    pub path: Option<String>,
    /// The skill that `@NAME` turned out to mean.
    pub skill: Option<String>,
}

/// What a name of a ref stands for in a repository at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// The commit.
    pub commit: String,
}

/// Fetches the files of a repository, or of a directory in it, into `into`, which is there and empty. `scratch` is a directory of
/// ours for what git needs.
///
/// # Errors
/// Where git is not there, the repository cannot be reached or read, or has no such ref or path.
pub async fn fetch(
    program: &dyn GitProgram,
    spec: &GitSpec,
    scratch: &Path,
    into: &Path,
) -> Result<Fetched, GitError> {
    let git = Git { program, url: &spec.url, scratch };
    match exactly(&git, spec, into).await {
        Err(mut why @ (GitError::NoReference { .. } | GitError::NoPath { .. })) if spec.is_loose => {
            // Nothing has landed where the ref or the directory is not there.
            for other in loose::readings(&git, spec).await? {
                match exactly(&git, &other, into).await {
                    // A ref that is there says more than one that is not.
                    Err(error @ GitError::NoPath { .. }) if matches!(why, GitError::NoReference { .. }) => {
                        why = error;
                    }
                    Err(GitError::NoReference { .. } | GitError::NoPath { .. }) => {}
                    fetched => return fetched,
                }
            }
            Err(why)
        }
        fetched => fetched,
    }
}

/// Fetches what the text says, read in one way.
async fn exactly(git: &Git<'_>, spec: &GitSpec, into: &Path) -> Result<Fetched, GitError> {
    let (reference, skill) = match (&spec.reference, &spec.at) {
        (Some(reference), at) => (Some(reference.clone()), at.clone()),
        (None, Some(at)) if is_commit(at) || git.has_reference(at).await? => (Some(at.clone()), None),
        (None, at) => (None, at.clone()),
    };
    let mut landing = Landing::new(into, Strictness::Repository, BOUNDS);
    let commit = match local::read(spec, reference.as_deref()) {
        Some(found) => {
            objects::land_all(&found.files, &mut landing)?;
            found.commit
        }
        None => bring(git, spec, reference.as_deref(), &mut landing).await?,
    };
    landing.finish()?;
    Ok(Fetched { commit, reference, path: spec.path.clone(), skill })
}

/// Has git fetch a repository into a scratch one, and lets the files of a commit land; says which commit it is.
async fn bring(
    git: &Git<'_>,
    spec: &GitSpec,
    reference: Option<&str>,
    landing: &mut Landing,
) -> Result<String, GitError> {
    let repository = git.scratch.join("repository");
    fs::create_dir_all(&repository).map_err(|source| GitError::Write { path: repository.clone(), source })?;
    succeeded(git.run(&repository, &["init", "--quiet", "--bare", "--template=", "."]).await?, git)?;
    let commit = git.commit(&repository, reference).await?;
    let objects = git.list(&repository, &commit, spec.path.as_deref()).await?;
    objects::land(git, &repository, &objects, landing).await?;
    // Nobody asks it anything any more, and it may be large.
    fs::remove_dir_all(&repository).ok();
    Ok(commit)
}

/// What a ref stands for now, without fetching it; the default branch where none is named.
///
/// # Errors
/// Where git is not there, the repository cannot be reached, or has no such ref.
pub async fn tip(
    program: &dyn GitProgram,
    url: &str,
    reference: Option<&str>,
    scratch: &Path,
) -> Result<Tip, GitError> {
    if let Some(commit) = reference.filter(|reference| is_commit(reference)) {
        return Ok(Tip { commit: commit.to_owned() });
    }
    let git = Git { program, url, scratch };
    let found = git.references(reference.unwrap_or("HEAD")).await?;
    let commit = found.ok_or_else(|| GitError::NoReference {
        url: url.to_owned(),
        reference: reference.unwrap_or("HEAD").to_owned(),
    })?;
    Ok(Tip { commit })
}

/// Merges what two sides made of one file, line by line, as git does; `None` where they contradict each other.
///
/// # Errors
/// Where git is not there or cannot read the files.
pub async fn merge(
    program: &dyn GitProgram,
    [ours, base, theirs]: [&Path; 3],
    scratch: &Path,
) -> Result<Option<Vec<u8>>, GitError> {
    let git = Git { program, url: "", scratch };
    let options = ["merge-file", "-p", "--quiet", "--"].map(OsStr::new);
    let arguments: Vec<&OsStr> =
        options.into_iter().chain([ours, base, theirs].map(Path::as_os_str)).collect();
    let answer = git.run(scratch, &arguments).await?;
    match answer.code {
        0 => Ok(Some(answer.stdout)),
        // As many as there are contradictions; what is no text has no lines to merge.
        1..=127 | 255 => Ok(None),
        _ => succeeded(answer, &git).map(|answer| Some(answer.stdout)),
    }
}
