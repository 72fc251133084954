//! What goes wrong with repositories. Git says it in words, which are read where somebody decides by them.

use super::call::GitFailure;
use crate::landing::LandingError;
use std::io;
use std::path::PathBuf;

/// Why nothing came of a repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git.
    #[error("git is not installed, and repositories are fetched by it")]
    Missing,
    /// It takes too long.
    #[error("{url} did not answer in time")]
    TimedOut {
        /// The repository.
        url: String,
    },
    /// Whoever asks is not let in, or there is no such repository, which servers do not tell apart.
    #[error("{url} is not there, or not for you: {said}")]
    Denied {
        /// The repository.
        url: String,
        /// What git said.
        said: String,
    },
    /// The repository cannot be reached or read.
    #[error("cannot fetch {url}: {said}")]
    Failed {
        /// The repository.
        url: String,
        /// What git said.
        said: String,
    },
    /// It has no such branch, tag or commit.
    #[error("{url} has no branch, tag or commit `{reference}`")]
    NoReference {
        /// The repository.
        url: String,
        /// What was asked for.
        reference: String,
    },
    /// It has no such directory.
    #[error("{url} has no directory `{path}`")]
    NoPath {
        /// The repository.
        url: String,
        /// What was asked for.
        path: String,
    },
    /// Its files did not land.
    #[error(transparent)]
    Landing(#[from] LandingError),
    /// The system refused something.
    #[error("cannot write {}", .path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What git says when it is not let in.
const DENIALS: &[&str] = &[
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "Permission denied",
    "Host key verification failed",
    "Repository not found",
    "repository not found",
    "does not appear to be a git repository",
    "error: 401",
    "error: 403",
    "error: 404",
    "not found",
];

impl GitError {
    /// What a failure to run comes to.
    pub(super) fn of(url: &str, failure: GitFailure) -> Self {
        match failure {
            GitFailure::Missing => Self::Missing,
            GitFailure::TimedOut => Self::TimedOut { url: url.to_owned() },
            GitFailure::Other(said) => Self::Failed { url: url.to_owned(), said },
        }
    }

    /// What git's own words come to.
    pub(super) fn said(url: &str, reference: Option<&str>, stderr: &str) -> Self {
        let url = url.to_owned();
        if stderr.contains("couldn't find remote ref") || stderr.contains("not our ref") {
            return Self::NoReference { url, reference: reference.unwrap_or("HEAD").to_owned() };
        }
        let said = words(stderr);
        if DENIALS.iter().any(|denial| stderr.contains(denial)) {
            Self::Denied { url, said }
        } else {
            Self::Failed { url, said }
        }
    }
}

/// The line that says why, without git's marks; what a server says comes in too, so that it is short and printable.
fn words(stderr: &str) -> String {
    let marks = ["fatal: ", "error: ", "remote: "];
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = marks.iter().find_map(|mark| lines().find_map(|line| line.strip_prefix(mark)));
    let line = line.or_else(|| lines().next_back()).unwrap_or("git does not say why");
    line.chars().take(300).map(|char| if char.is_control() { ' ' } else { char }).collect()
}
