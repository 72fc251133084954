//! Tests of authoring on real directories: nothing is overwritten, nothing half-written stays.

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
                lines
                    .push(format!("{shown}: {}", text.lines().nth(1).unwrap_or(&text)).trim_end().to_owned());
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
            format!("rejected: {}", problems.iter().map(Problem::to_string).collect::<Vec<_>>().join(", "))
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
            r#"error: invalid skill name "../evil": letters from a to z, digits, `.`, `_` and `-`, at most 64, the first a letter or a digit"#
        ]],
    );
    check(
        &[],
        "a\u{1b}[31m",
        Layout::Flat,
        expect![[
            r#"error: invalid skill name "a\u{1b}[31m": letters from a to z, digits, `.`, `_` and `-`, at most 64, the first a letter or a digit"#
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
    let shown = [Layout::Directory, Layout::Flat].map(|layout| outcome(&skills, "a", layout, Some("Do it.")));
    expect![[r#"
        rejected: :1:1: error[missing_frontmatter]: the file does not begin with a frontmatter block, :1:1: warning[body_too_short]: the skill has 6 bytes; fewer than 80 are too short to be of use
        rejected: :1:1: error[missing_frontmatter]: the file does not begin with a frontmatter block, :1:1: warning[body_too_short]: the skill has 6 bytes; fewer than 80 are too short to be of use"#]].assert_eq(&shown.join("\n"));
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
        for _ in 0..guild_testkit::rounds() {
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
    for _ in 0..guild_testkit::rounds() {
        let root = root_with(&[]);
        let won = race(root.path(), &forms);
        let entries = fs::read_dir(root.path()).unwrap().count();
        assert!(won <= 1 && entries == won, "{won} won: {}", listing(root.path()));
    }
}
