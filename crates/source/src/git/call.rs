//! How git is called: with a list of arguments, settings that keep it from running anything, and `--` before what others wrote.

use super::error::GitError;
use crate::spec::{is_commit, is_loopback};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

/// One call of git.
#[derive(Debug)]
pub struct GitCall {
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where it runs: a directory of ours.
    pub directory: PathBuf,
    /// What it reads.
    pub stdin: Vec<u8>,
    /// Where it writes, if not into memory.
    pub stdout: Option<File>,
}

/// What came of a call.
#[derive(Debug)]
pub struct GitAnswer {
    /// Its exit code, or minus the signal that ended it.
    pub code: i32,
    /// What it wrote, where that went into memory.
    pub stdout: Vec<u8>,
    /// What it said.
    pub stderr: String,
}

/// Why git did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitFailure {
    /// It is not installed.
    Missing,
    /// It took too long.
    TimedOut,
    /// Anything else, in a sentence.
    Other(String),
}

/// Whoever starts git: with an environment that has the person's own credentials and no terminal to ask at unless there is one.
pub trait GitProgram: Send + Sync {
    /// Calls git.
    fn call<'a>(
        &'a self,
        call: GitCall,
    ) -> Pin<Box<dyn Future<Output = Result<GitAnswer, GitFailure>> + Send + 'a>>;
}

/// Settings that hold in every call, whatever the person's or a repository's say: nothing of a repository runs.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "protocol.file.allow=always",
    "advice.detachedHead=false",
    // What is fetched is read once and removed.
    "core.fsync=none",
    "fetch.unpackLimit=1",
];

/// How the other side is started where it is this machine: from disk to disk nothing is gained by packing tightly, and it is most of the time.
const UPLOAD: &str = "--upload-pack=git -c pack.window=0 -c pack.compression=0 upload-pack";

/// Where what was fetched is named.
const FETCHED: &str = "refs/guild/fetched";

/// Git, about one repository.
pub struct Git<'a> {
    pub program: &'a dyn GitProgram,
    pub url: &'a str,
    pub scratch: &'a Path,
}

impl Git<'_> {
    /// Calls git in a directory; what it writes comes back.
    pub async fn run<S: AsRef<OsStr>>(
        &self,
        directory: &Path,
        arguments: &[S],
    ) -> Result<GitAnswer, GitError> {
        self.call(directory, arguments, Vec::new(), None).await
    }

    /// Calls git in a directory.
    pub async fn call<S: AsRef<OsStr>>(
        &self,
        directory: &Path,
        arguments: &[S],
        stdin: Vec<u8>,
        stdout: Option<File>,
    ) -> Result<GitAnswer, GitError> {
        let mut all: Vec<OsString> = Vec::new();
        let is_plain = self
            .url
            .strip_prefix("http://")
            .is_some_and(|rest| is_loopback(rest.split('/').next().unwrap_or("")));
        for setting in SETTINGS.iter().copied().chain(is_plain.then_some("protocol.http.allow=always")) {
            all.extend(["-c".into(), setting.into()]);
        }
        all.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        let call = GitCall { arguments: all, directory: directory.to_owned(), stdin, stdout };
        self.program.call(call).await.map_err(|failure| GitError::of(self.url, failure))
    }

    /// Whether the repository has a branch or a tag of this name.
    pub async fn has_reference(&self, name: &str) -> Result<bool, GitError> {
        Ok(self.references(name).await?.is_some())
    }

    /// The commit that a name stands for: a tag before a branch, and of a tag what it points to.
    pub async fn references(&self, name: &str) -> Result<Option<String>, GitError> {
        let tag = format!("refs/tags/{name}");
        let peeled = format!("{tag}^{{}}");
        let branch = format!("refs/heads/{name}");
        let asked = if name == "HEAD" { vec!["HEAD"] } else { vec![&*peeled, &tag, &branch] };
        let arguments = ["ls-remote", "--quiet", "--", self.url].into_iter().chain(asked.iter().copied());
        let answer = self.run(self.scratch, &arguments.collect::<Vec<_>>()).await?;
        let answer = succeeded(answer, self)?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let lines: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let found = asked.iter().find_map(|name| lines.iter().find(|(_, known)| known == name));
        Ok(found.map(|(commit, _)| (*commit).to_owned()).filter(|commit| is_commit(commit)))
    }

    /// Fetches a ref, or the default branch, and says which commit it is.
    pub async fn commit(&self, repository: &Path, reference: Option<&str>) -> Result<String, GitError> {
        let name = reference.unwrap_or("HEAD");
        let shallow = self.fetch(repository, &["--depth=1"], &[format!("+{name}:{FETCHED}")]).await?;
        if shallow.code != 0 {
            let everything =
                ["+refs/heads/*:refs/guild/heads/*", "+refs/tags/*:refs/guild/tags/*"].map(str::to_owned);
            let is_id = is_commit(name);
            // Not every server gives a commit by its id, or a part of its history; all of them give all of it.
            let whole = if is_id {
                self.fetch(repository, &[], &everything).await?
            } else {
                self.fetch(repository, &[], &[format!("+{name}:{FETCHED}")]).await?
            };
            if whole.code != 0 {
                return Err(GitError::said(self.url, reference, &whole.stderr));
            }
            return self.parse(repository, if is_id { name } else { FETCHED }, reference).await;
        }
        self.parse(repository, FETCHED, reference).await
    }

    async fn fetch(
        &self,
        repository: &Path,
        options: &[&str],
        wanted: &[String],
    ) -> Result<GitAnswer, GitError> {
        let mut arguments =
            vec!["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--refmap="];
        arguments.extend(options);
        arguments.extend(self.url.starts_with("file://").then_some(UPLOAD));
        arguments.extend(["--", self.url]);
        arguments.extend(wanted.iter().map(String::as_str));
        self.run(repository, &arguments).await
    }

    async fn parse(
        &self,
        repository: &Path,
        name: &str,
        reference: Option<&str>,
    ) -> Result<String, GitError> {
        let commit = format!("{name}^{{commit}}");
        let answer =
            self.run(repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).await?;
        let text = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
        if answer.code != 0 || !is_commit(&text) {
            let reference = reference.unwrap_or("HEAD").to_owned();
            return Err(GitError::NoReference { url: self.url.to_owned(), reference });
        }
        Ok(text)
    }
}

/// The answer, if git did what it was asked.
pub fn succeeded(answer: GitAnswer, git: &Git<'_>) -> Result<GitAnswer, GitError> {
    if answer.code == 0 { Ok(answer) } else { Err(GitError::said(git.url, None, &answer.stderr)) }
}
