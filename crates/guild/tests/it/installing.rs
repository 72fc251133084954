//! Installing, as a person does it: repositories, directories and archives in, files and a lock out.

#![expect(clippy::too_many_lines, reason = "a session is read in one piece, from its first line to its last")]

mod adding;
mod artifacts;
mod distrusting;
mod downloading;
mod exchanging;
mod keeping;
mod linking;
mod markets;
mod moving;
mod packages;
mod private;
mod refusals;
mod registering;
mod secured;
mod servers;
mod sweeping;
mod updating;
mod wishes;

use crate::env;
use guild_testkit::{Env, Repository, git_script, session};

/// Skills as a repository has them: two that load, one that does not, and a plugin with one of its own.
pub const SKILLS: &str = "
//- /README.md
# Skills
//- /skills/pdf/SKILL.md
---
name: pdf
description: Reads PDF files and fills in their forms
---

Read the file that you were given, page by page.
//- /skills/pdf/scripts/read.sh mode:755
#!/bin/sh
echo page
//- /skills/docx/SKILL.md
---
name: docx
description: Reads Word files
---

Read the file that you were given, heading by heading.
//- /skills/broken/SKILL.md
No frontmatter.
//- /plugins/acme/.claude-plugin/plugin.json
{\"name\": \"acme\", \"version\": \"1.0.0\", \"description\": \"Ships\"}
//- /plugins/acme/skills/deploy/SKILL.md
---
name: deploy
description: Deploys with the pipeline of Acme
---

Deploy what was built, and wait for the answer.
";

/// A world with git in it, in which the forge and `git.example` are directories of this machine.
pub fn world() -> Env {
    let env = env(&format!(
        "//- /project/.git/\n//- /srv/\n//- /home/.config/guild/config.toml\nbuiltins = false\n//- /bin/git mode:755\n{}",
        git_script()
    ));
    let root = env.root().display().to_string();
    env.write(&format!(
        "//- /home/.gitconfig\n[url \"file://{root}/srv/\"]\n\tinsteadOf = https://git.example/\n\tinsteadOf = https://github.com/\n\tinsteadOf = git@git.example:\n"
    ));
    env
}

/// The same, with the skills in two repositories.
pub fn world_of_skills() -> (Env, Repository) {
    let env = world();
    let mut repository = Repository::new();
    repository.commit(SKILLS);
    repository.git(&["tag", "v1"]);
    repository.publish(&env.join("srv"), "skills.git");
    repository.publish(&env.join("srv/acme"), "skills");
    (env, repository)
}

/// Every file below a directory of the world but git's and Guildhall's own, with `*` after what can be executed.
pub fn tree(env: &Env, directory: &str) -> String {
    let mut lines = Vec::new();
    walk(&env.join(directory), "", &mut lines);
    lines.sort();
    lines.join("\n")
}

fn walk(directory: &std::path::Path, below: &str, lines: &mut Vec<String>) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let metadata = entry.path().symlink_metadata().unwrap();
        if metadata.is_dir() && name != ".git" {
            walk(&entry.path(), &format!("{name}/"), lines);
            if entry.path().read_dir().unwrap().next().is_none() {
                lines.push(format!("{name}/"));
            }
        } else if metadata.is_symlink() {
            lines.push(format!("{name} ->"));
        } else if metadata.is_file() {
            let is_executable = metadata.permissions().mode() & 0o111 != 0;
            lines.push(format!("{name}{}", if is_executable { "*" } else { "" }));
        }
    }
}

/// What is left of fetching and unpacking, which is nothing.
#[track_caller]
pub fn assert_nothing_is_left(env: &Env) {
    let left = |path: &str| std::fs::read_dir(env.join(path)).into_iter().flatten().flatten().count();
    assert_eq!(left("home/.local/share/guild/store/tmp"), 0, "in the store");
    assert_eq!(left("home/.local/state/guild/journal"), 0, "in the journal");
    assert_eq!(left("tmp"), 0, "in the temporary directory");
    for place in ["project/.guild", "home/.guild"] {
        let names = std::fs::read_dir(env.join(place)).into_iter().flatten().flatten();
        let staged = names.filter(|entry| entry.file_name().to_string_lossy().starts_with(".install-"));
        assert_eq!(staged.count(), 0, "in {place}");
    }
}

/// A text without blanks at the ends of lines, such as empty lines have in differences.
pub fn trimmed(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Runs a command that has to succeed.
#[track_caller]
pub fn done(env: &Env, arguments: &[&str]) {
    let output = env.guild(arguments);
    assert_eq!(output.code(), Some(0), "{arguments:?}: {output}");
}

#[track_caller]
pub fn check(env: &Env, script: &str, expected: &expect_test::Expect) {
    expected.assert_eq(&trimmed(&session(env, script)));
    assert_nothing_is_left(env);
}
