//! A git repository for tests, made by git itself; whoever commits does so at a fixed moment, so that commits have the same ids always.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Fixture;

/// A repository with a work tree of its own.
#[derive(Debug)]
pub struct Repository {
    fixture: Fixture,
    commits: u32,
}

impl Repository {
    /// An empty repository, whose branch is `main`.
    #[track_caller]
    pub fn new() -> Self {
        let fixture = Fixture::write("//- /work/\n");
        let repository = Self { fixture, commits: 0 };
        repository.git(&["init", "--quiet", "--initial-branch=main", "."]);
        repository
    }

    /// Writes the files of a fixture text, whose paths begin at the root of the repository, and commits everything; gives the id.
    #[track_caller]
    pub fn commit(&mut self, files: &str) -> String {
        self.fixture.add(&files.replace("//- /", "//- /work/"));
        self.commit_all()
    }

    /// Removes a file or directory, and commits that; gives the id.
    #[track_caller]
    pub fn remove(&mut self, path: &str) -> String {
        self.git(&["rm", "-r", "--quiet", "--", path]);
        self.commit_all()
    }

    #[track_caller]
    fn commit_all(&mut self) -> String {
        self.commits += 1;
        let message = format!("Commit {}", self.commits);
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", &message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Runs git in the repository, and gives what it prints.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        let moment = format!("{} +0000", 1_700_000_000 + self.commits * 60);
        #[expect(clippy::disallowed_methods, reason = "a repository is made by git")]
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.work());
        for (name, value) in [
            ("HOME", "/nowhere"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ] {
            command.env(name, value);
        }
        command.env("GIT_AUTHOR_DATE", &moment).env("GIT_COMMITTER_DATE", &moment);
        let output = command.output().expect("run git, of the Debian package of that name");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text from git")
    }

    /// The work tree.
    pub fn work(&self) -> PathBuf {
        self.fixture.join("work")
    }

    /// Where a clone without a work tree lies, made new from what there is now; `name` is what it is called.
    #[track_caller]
    pub fn publish(&self, into: &Path, name: &str) -> PathBuf {
        let place = into.join(name);
        if place.exists() {
            let push =
                ["push", "--quiet", "--force", "--all", &place.display().to_string()].map(str::to_owned);
            self.git(&push.iter().map(String::as_str).collect::<Vec<_>>());
            self.git(&["push", "--quiet", "--force", "--tags", &place.display().to_string()]);
            return place;
        }
        fs::create_dir_all(into).expect("make a directory for repositories");
        self.git(&["clone", "--quiet", "--bare", ".", &place.display().to_string()]);
        place
    }
}

/// A program that stands for git where `PATH` has none of this machine's directories.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "the test's own surroundings say where git is")]
pub fn git_script() -> String {
    let path = std::env::var_os("PATH").expect("a PATH");
    let places = std::env::split_paths(&path).map(|directory| directory.join("git"));
    let git =
        places.into_iter().find(|place| place.is_file()).expect("git, of the Debian package of that name");
    format!("#!/bin/sh\nexec {} \"$@\"\n", git.display())
}

impl Default for Repository {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_have_the_same_ids_always() {
        let commit = || Repository::new().commit("//- /a.txt\na\n");
        assert_eq!(commit(), commit());
    }
}
