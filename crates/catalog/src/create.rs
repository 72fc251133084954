//! Writing a skill that is not there yet, whole or not at all.
//!
//! Nothing is ever overwritten, neither by this layout nor beside the other one. Whether the content is safe is the
//! vet's business, and what its frontmatter says the reader's: only the structure is checked here.

mod template;

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
        "invalid skill name {name:?}: letters, digits, `.`, `_` and `-`, at most 64, the first a letter or a digit"
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

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::sync::Barrier;

    /// A root with the given entries: those that end in `/` are directories, the others files that say "mine".
    fn root_with(entries: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for entry in entries {
            let path = root.path().join(entry);
            if entry.ends_with('/') {
                fs::create_dir_all(path).unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "mine").unwrap();
            }
        }
        root
    }

    /// Everything below `root`, hidden files included, with what the files hold.
    fn listing(root: &Path) -> String {
        let mut lines = Vec::new();
        let mut pending = vec![root.to_owned()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                let shown = path.strip_prefix(root).unwrap().display().to_string();
                if path.is_dir() {
                    lines.push(format!("{shown}/"));
                    pending.push(path);
                } else {
                    let text = fs::read_to_string(&path).unwrap_or_default();
                    lines.push(
                        format!("{shown}: {}", text.lines().nth(1).unwrap_or(&text)).trim_end().to_owned(),
                    );
                }
            }
        }
        lines.sort();
        lines.join("\n")
    }

    /// The outcome of a creation and what the root holds after it, with the root's path left out.
    fn outcome(root: &Path, name: &str, layout: Layout, content: Option<&str>) -> String {
        let shown = match create(&Draft { root, name, layout, content }) {
            Ok(path) => format!("ok: {}", path.display()),
            Err(CreateError::Rejected { problems }) => {
                format!(
                    "rejected: {}",
                    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join(", ")
                )
            }
            Err(error) => format!("error: {error}"),
        };
        let shown = shown.replace(&root.display().to_string(), "ROOT");
        if root.is_dir() { format!("{shown}\n{}", listing(root)).trim_end().to_owned() } else { shown }
    }

    #[track_caller]
    fn check(entries: &[&str], name: &str, layout: Layout, expect: Expect) {
        let root = root_with(entries);
        expect.assert_eq(&outcome(root.path(), name, layout, None));
    }

    #[test]
    fn a_directory_skill_is_written() {
        check(
            &["other/SKILL.md"],
            "mine",
            Layout::Directory,
            expect![[r#"
            ok: ROOT/mine/SKILL.md
            mine/
            mine/SKILL.md: name: mine
            other/
            other/SKILL.md: mine"#]],
        );
    }

    #[test]
    fn a_flat_skill_is_written() {
        check(
            &["mine-too.md", "min.md"],
            "mine",
            Layout::Flat,
            expect![[r#"
            ok: ROOT/mine.md
            min.md: mine
            mine-too.md: mine
            mine.md: name: mine"#]],
        );
    }

    #[test]
    fn a_skill_of_either_layout_and_any_letter_case_is_not_overwritten() {
        for entries in
            [["foo/SKILL.md"], ["foo/"], ["foo.md"], ["foo.MD"], ["FOO.md"], ["Foo/notes.txt"], ["foo"]]
        {
            let root = root_with(&entries);
            let before = listing(root.path());
            for layout in [Layout::Directory, Layout::Flat] {
                let draft = Draft { root: root.path(), name: "foo", layout, content: None };
                assert!(
                    matches!(create(&draft), Err(CreateError::AlreadyExists { .. })),
                    "{entries:?} {layout:?}"
                );
                assert_eq!(listing(root.path()), before);
            }
        }
    }

    #[test]
    fn the_place_of_the_skill_that_is_there_is_told() {
        check(
            &["Foo.MD"],
            "foo",
            Layout::Directory,
            expect![[r#"
            error: the skill already exists at ROOT/Foo.MD
            Foo.MD: mine"#]],
        );
    }

    #[test]
    fn names_that_are_no_names_are_refused() {
        check(
            &[],
            "../evil",
            Layout::Directory,
            expect![[
                r#"error: invalid skill name "../evil": letters, digits, `.`, `_` and `-`, at most 64, the first a letter or a digit"#
            ]],
        );
        check(
            &[],
            "a\u{1b}[31m",
            Layout::Flat,
            expect![[
                r#"error: invalid skill name "a\u{1b}[31m": letters, digits, `.`, `_` and `-`, at most 64, the first a letter or a digit"#
            ]],
        );
        check(
            &[],
            "Skill",
            Layout::Flat,
            expect![
                "error: a flat skill cannot be named `Skill`, for `SKILL.md` belongs to a directory's own skill"
            ],
        );
        check(
            &[],
            "skill",
            Layout::Directory,
            expect![[r#"
            ok: ROOT/skill/SKILL.md
            skill/
            skill/SKILL.md: name: skill"#]],
        );
    }

    #[test]
    fn content_is_written_as_it_is_given() {
        let root = root_with(&[]);
        let content =
            "---\r\nname: a\r\ndescription: Long enough to be of some use, I should think\r\n---\r\nDo it.";
        let draft = Draft { root: root.path(), name: "a", layout: Layout::Flat, content: Some(content) };
        assert_eq!(fs::read_to_string(create(&draft).unwrap()).unwrap(), content);
    }

    #[test]
    fn content_without_structure_is_refused_and_nothing_is_left() {
        let root = root_with(&[]);
        let skills = root.path().join("skills");
        let shown =
            [Layout::Directory, Layout::Flat].map(|layout| outcome(&skills, "a", layout, Some("Do it.")));
        expect![[r#"
            rejected: :1:1: error[missing_frontmatter]: the skill has no frontmatter, :1:1: warning[body_too_short]: the skill has 6 bytes; fewer than 80 are too short to be of use
            rejected: :1:1: error[missing_frontmatter]: the skill has no frontmatter, :1:1: warning[body_too_short]: the skill has 6 bytes; fewer than 80 are too short to be of use"#]].assert_eq(&shown.join("\n"));
        assert!(!skills.exists());
    }

    #[test]
    fn a_missing_root_is_made_with_its_parents() {
        let root = root_with(&[]);
        let skills = root.path().join("a/.guild/skills");
        expect![[r#"
            ok: ROOT/mine/SKILL.md
            mine/
            mine/SKILL.md: name: mine"#]]
        .assert_eq(&outcome(&skills, "mine", Layout::Directory, None));
    }

    #[test]
    fn a_root_that_is_a_file_is_left_alone() {
        let root = root_with(&["skills"]);
        expect!["error: cannot write ROOT"].assert_eq(&outcome(
            &root.path().join("skills"),
            "mine",
            Layout::Flat,
            None,
        ));
        assert_eq!(listing(root.path()), "skills: mine");
    }

    #[cfg(unix)]
    #[test]
    fn a_root_may_be_a_link_and_a_dangling_entry_counts_as_there() {
        use std::os::unix::fs::symlink;
        let root = root_with(&["real/"]);
        let link = root.path().join("link");
        symlink(root.path().join("real"), &link).unwrap();
        symlink("/nowhere/at/all", root.path().join("real/gone")).unwrap();
        expect![[r#"
            ok: ROOT/mine.md
            gone:
            mine.md: name: mine"#]]
        .assert_eq(&outcome(&link, "mine", Layout::Flat, None));
        expect![[r#"
            error: the skill already exists at ROOT/gone
            gone:
            mine.md: name: mine"#]]
        .assert_eq(&outcome(&link, "gone", Layout::Directory, None));
    }

    /// The root's path is so long that a directory fits into it and a file in that directory does not.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_write_that_fails_half_way_leaves_nothing() {
        let temporary = root_with(&[]);
        let mut root = temporary.path().to_owned();
        while root.as_os_str().len() < 3900 {
            root.push("d".repeat(90));
        }
        root.push("d".repeat(4084 - root.as_os_str().len()));
        expect!["error: cannot write ROOT/foo/SKILL.md"].assert_eq(&outcome(
            &root,
            "foo",
            Layout::Directory,
            None,
        ));
        assert!(root.is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_gets_the_permissions_of_any_other() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = root_with(&["other.md"]);
        let draft = Draft { root: root.path(), name: "mine", layout: Layout::Flat, content: None };
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&create(&draft).unwrap()), mode(&root.path().join("other.md")));
    }

    /// Lets as many threads as there are drafts create at once and returns how many succeeded.
    fn race(root: &Path, drafts: &[(&str, Layout)]) -> usize {
        let barrier = Barrier::new(drafts.len());
        std::thread::scope(|scope| {
            let racers: Vec<_> = drafts
                .iter()
                .map(|(name, layout)| {
                    let draft = Draft { root, name, layout: *layout, content: None };
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        match create(&draft) {
                            Ok(path) => path.is_file(),
                            Err(CreateError::AlreadyExists { .. }) => false,
                            Err(error) => panic!("{error}"),
                        }
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).filter(|won| *won).count()
        })
    }

    #[test]
    fn of_many_that_write_one_skill_exactly_one_succeeds() {
        for layout in [Layout::Directory, Layout::Flat] {
            for _ in 0..25 {
                let root = root_with(&[]);
                assert_eq!(race(root.path(), &[("same", layout); 8]), 1);
                let lines = if layout == Layout::Flat { 1 } else { 2 };
                assert_eq!(listing(root.path()).lines().count(), lines, "{}", listing(root.path()));
            }
        }
    }

    #[test]
    fn of_many_that_write_one_name_in_different_forms_at_most_one_stands() {
        let forms = [
            ("same", Layout::Directory),
            ("same", Layout::Flat),
            ("SAME", Layout::Directory),
            ("Same", Layout::Flat),
        ];
        for _ in 0..25 {
            let root = root_with(&[]);
            let won = race(root.path(), &forms);
            let entries = fs::read_dir(root.path()).unwrap().count();
            assert!(won <= 1 && entries == won, "{won} won: {}", listing(root.path()));
        }
    }
}
