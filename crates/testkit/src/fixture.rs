//! A tree of files written as one text, as in `//- /SKILL.md` followed by the content.
//!
//! A header is `//- /path` and may end in attributes: `mode:644` (octal), `bytes:00ff` (content as hex),
//! `link:../target` (a symbolic link; a target that starts with `/` lies below the fixture's root) and `kind:pipe`
//! (a named pipe). A path that ends in `/` is an empty directory. If the first header is indented, that indentation
//! is taken off every line, so that a fixture may stand inside a test function. It does not interpolate anything.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

/// The age that [`Fixture::age`] gives: long before any test, and a whole number of seconds on every file system.
const LONG_AGO: Duration = Duration::from_secs(1_000_000_000);

/// One file, link or directory of a fixture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path below the fixture's root, without a leading slash.
    pub path: String,
    /// What stands at that path.
    pub content: Content,
    /// The permission bits, where the header names them.
    pub mode: Option<u32>,
}

/// What stands at an entry's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A regular file with these bytes.
    File(Vec<u8>),
    /// A symbolic link to this target.
    Link(String),
    /// An empty directory.
    Directory,
    /// A named pipe, on which a careless reader waits for ever.
    Pipe,
}

/// A fixture on disk, in a temporary directory that is removed with this value.
#[derive(Debug)]
pub struct Fixture {
    directory: TempDir,
    root: PathBuf,
}

impl Fixture {
    /// Writes the files of `text` into a fresh temporary directory.
    #[track_caller]
    pub fn write(text: &str) -> Self {
        let fixture = Self::empty();
        fixture.add(text);
        fixture
    }

    /// Makes a fixture with no files yet.
    #[track_caller]
    pub fn empty() -> Self {
        let directory =
            tempfile::Builder::new().prefix("guild-").tempdir().expect("make a temporary directory");
        // Programs print canonical paths, and these must be recognisable as the root.
        let root = directory.path().canonicalize().expect("resolve the temporary directory");
        Self { directory, root }
    }

    /// Reads the entries of `text` without writing anything.
    #[track_caller]
    pub fn parse(text: &str) -> Vec<Entry> {
        parse(text)
    }

    /// Writes the files of `text` into this fixture, over those that are there.
    #[track_caller]
    pub fn add(&self, text: &str) {
        let entries = parse(text);
        for entry in &entries {
            self.place(entry);
        }
        // Permissions come last: a directory that may not be written to has been filled by now.
        for entry in &entries {
            if let Some(mode) = entry.mode {
                set_mode(&self.join(&entry.path), mode);
            }
        }
    }

    /// The root that all paths of the fixture are below.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The place of `path` in this fixture; a leading slash means the fixture's root.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Dates everything in the fixture long back, as if nobody had touched it for years.
    ///
    /// What has just been written may change again within one tick of the file system's clock, and readers that
    /// know this take no notice of its date. After this they can.
    #[track_caller]
    pub fn age(&self) {
        date(&self.root, SystemTime::UNIX_EPOCH + LONG_AGO);
    }

    fn place(&self, entry: &Entry) {
        let path = self.join(&entry.path);
        if let Some(parent) = path.parent() {
            make_directory(parent);
        }
        match &entry.content {
            Content::File(bytes) => {
                fs::write(&path, bytes).unwrap_or_else(|error| panic!("write {}: {error}", path.display()));
            }
            Content::Link(target) => {
                let target = if target.starts_with('/') { self.join(target) } else { PathBuf::from(target) };
                symlink(target, &path).unwrap_or_else(|error| panic!("link {}: {error}", path.display()));
            }
            Content::Directory => make_directory(&path),
            Content::Pipe => mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)
                .unwrap_or_else(|error| panic!("make the pipe {}: {error}", path.display())),
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        reopen_directories(self.directory.path());
    }
}

#[track_caller]
fn parse(text: &str) -> Vec<Entry> {
    let indent = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .map_or(0, |line| line.len() - line.trim_start().len());
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.split_inclusive('\n').map(|line| outdent(line, indent)) {
        if let Some(header) = line.strip_prefix("//- ") {
            entries.push(parse_header(header.trim_end()));
            continue;
        }
        match entries.last_mut().map(|entry| (&entry.path, &mut entry.content)) {
            Some((_, Content::File(bytes))) => bytes.extend_from_slice(line.as_bytes()),
            _ if line.trim().is_empty() => {}
            Some((path, _)) => panic!("`{path}` is no file and cannot have the content {line:?}"),
            None => panic!("a fixture begins with a `//- /path` line, not with {line:?}"),
        }
    }
    entries
}

fn outdent(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line.get(blanks..).unwrap_or(line)
}

#[track_caller]
fn parse_header(header: &str) -> Entry {
    let mut path = header;
    let (mut mode, mut content) = (None, None);
    while let Some((rest, attribute)) = path.rsplit_once(' ') {
        match attribute.split_once(':') {
            Some(("mode", digits)) => mode = Some(parse_mode(digits)),
            Some(("link", target)) => content = Some(Content::Link(target.to_owned())),
            Some(("bytes", digits)) => content = Some(Content::File(parse_hex(digits))),
            Some(("kind", "pipe")) => content = Some(Content::Pipe),
            _ => break,
        }
        path = rest.trim_end();
    }
    let is_directory = path.ends_with('/');
    let path = checked_path(path);
    let default = if is_directory { Content::Directory } else { Content::File(Vec::new()) };
    Entry { path, content: content.unwrap_or(default), mode }
}

#[track_caller]
fn checked_path(path: &str) -> String {
    let Some(relative) = path.strip_prefix('/') else {
        panic!("the path of a fixture's file starts with `/`: {path:?}");
    };
    let relative = relative.trim_end_matches('/');
    if relative.split('/').any(|part| matches!(part, "" | "." | "..")) {
        panic!("the path of a fixture's file has no empty, `.` or `..` part: {path:?}");
    }
    relative.to_owned()
}

#[track_caller]
fn parse_mode(digits: &str) -> u32 {
    u32::from_str_radix(digits, 8).unwrap_or_else(|_| panic!("`mode:` takes octal digits, not {digits:?}"))
}

#[track_caller]
fn parse_hex(digits: &str) -> Vec<u8> {
    let nibbles: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(16)).collect();
    match nibbles {
        Some(nibbles) if nibbles.len() % 2 == 0 => nibbles
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |byte, nibble| byte << 4 | *nibble as u8))
            .collect(),
        _ => panic!("`bytes:` takes pairs of hex digits, not {digits:?}"),
    }
}

fn make_directory(path: &Path) {
    fs::create_dir_all(path).unwrap_or_else(|error| panic!("make {}: {error}", path.display()));
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .unwrap_or_else(|error| panic!("set the mode of {}: {error}", path.display()));
}

/// Dates `path` and everything below it; links keep their date, since following them may lead out of the fixture.
fn date(path: &Path, time: SystemTime) {
    let fail = |error: std::io::Error| -> ! { panic!("date {}: {error}", path.display()) };
    let kind = fs::symlink_metadata(path).unwrap_or_else(|error| fail(error)).file_type();
    if kind.is_dir() {
        for child in fs::read_dir(path).unwrap_or_else(|error| fail(error)).flatten() {
            date(&child.path(), time);
        }
    }
    if kind.is_dir() || kind.is_file() {
        File::open(path).and_then(|file| file.set_modified(time)).unwrap_or_else(|error| fail(error));
    }
}

/// Gives the owner access to every directory again, so that a tree with closed ones can be removed.
fn reopen_directories(directory: &Path) {
    // A failure here leaves a temporary directory behind; it must not hide the test's own result.
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o755));
    let Ok(children) = fs::read_dir(directory) else { return };
    for child in children.flatten() {
        if child.file_type().is_ok_and(|kind| kind.is_dir()) {
            reopen_directories(&child.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &Expect) {
        let fixture = Fixture::write(text);
        let mut lines = Vec::new();
        list(fixture.path(), fixture.path(), &mut lines);
        lines.sort();
        expect.assert_eq(&lines.join("\n"));
    }

    fn list(root: &Path, directory: &Path, lines: &mut Vec<String>) {
        for child in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let path = child.path();
            let shown = path.strip_prefix(root).unwrap().display().to_string();
            let meta = fs::symlink_metadata(&path).unwrap();
            if meta.is_symlink() {
                let target = fs::read_link(&path).unwrap().display().to_string();
                lines.push(format!("{shown} -> {}", target.replace(root.to_str().unwrap(), "[ROOT]")));
            } else if meta.is_dir() {
                lines.push(format!("{shown}/"));
                list(root, &path, lines);
            } else {
                let content = fs::read(&path).unwrap();
                lines.push(format!("{shown} {}", content.escape_ascii()));
            }
        }
    }

    #[test]
    fn files_are_written_with_their_directories() {
        check(
            "//- /a.md\none\ntwo\n//- /deep/er/b.md\n\n  indented\n",
            &expect![[r#"
                a.md one\ntwo\n
                deep/
                deep/er/
                deep/er/b.md \n  indented\n"#]],
        );
    }

    #[test]
    fn the_indentation_of_the_first_header_is_taken_off() {
        check(
            "
            //- /a.yaml
            key:
              nested: 1

            //- /b
            ",
            &expect![[r#"
                a.yaml key:\n  nested: 1\n\n
                b "#]],
        );
    }

    #[test]
    fn attributes_make_links_and_raw_bytes() {
        check(
            "//- /real/file with space.txt bytes:00ffE9\n//- /up/relative link:../real\n//- /absolute link:/real\n",
            &expect![[r#"
                absolute -> [ROOT]/real
                real/
                real/file with space.txt \x00\xff\xe9
                up/
                up/relative -> ../real"#]],
        );
    }

    #[test]
    fn a_path_that_ends_in_a_slash_is_an_empty_directory() {
        check(
            "//- /empty/here/\n",
            &expect![[r#"
            empty/
            empty/here/"#]],
        );
    }

    #[test]
    fn line_endings_and_a_missing_final_newline_are_kept() {
        check("//- /crlf.md\r\na\r\nb", &expect![[r#"crlf.md a\r\nb"#]]);
    }

    #[test]
    fn modes_are_set_after_the_tree_is_filled() {
        let fixture = Fixture::write("//- /closed/ mode:500\n//- /closed/a mode:600\nx\n");
        let mode = |path: &str| fs::metadata(fixture.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("/closed"), mode("closed/a")), (0o500, 0o600));
    }

    #[test]
    fn a_pipe_is_made_and_not_waited_for() {
        let fixture = Fixture::write("//- /queue kind:pipe\n");
        fixture.age();
        let kind = fs::symlink_metadata(fixture.join("queue")).unwrap().file_type();
        assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind));
    }

    #[test]
    fn aging_dates_files_and_directories_and_follows_no_link() {
        let outside = Fixture::write("//- /kept\n");
        let fixture = Fixture::write("//- /a/b\nx\n");
        symlink(outside.join("kept"), fixture.join("a/link")).unwrap();
        fixture.age();
        let modified = |path: PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + LONG_AGO;
        assert_eq!(["", "a", "a/b"].map(|path| modified(fixture.join(path))), [long_ago; 3]);
        assert_ne!(modified(outside.join("kept")), long_ago);
    }

    #[test]
    fn a_tree_with_a_closed_directory_is_removed() {
        let fixture = Fixture::write("//- /closed/a\nx\n//- /closed/ mode:000\n");
        let root = fixture.path().to_owned();
        drop(fixture);
        assert!(!root.exists());
    }

    #[track_caller]
    fn check_refused(text: &str, expect: &Expect) {
        let text = text.to_owned();
        let payload = std::panic::catch_unwind(|| Fixture::parse(&text)).unwrap_err();
        expect.assert_eq(payload.downcast_ref::<String>().unwrap());
    }

    #[test]
    fn what_is_no_fixture_is_refused() {
        check_refused(
            "stray\n",
            &expect![[r#"a fixture begins with a `//- /path` line, not with "stray\n""#]],
        );
        check_refused("//- a\n", &expect![[r#"the path of a fixture's file starts with `/`: "a""#]]);
        check_refused(
            "//- /../a\n",
            &expect![[r#"the path of a fixture's file has no empty, `.` or `..` part: "/../a""#]],
        );
        check_refused("//- /a mode:9\n", &expect![[r#"`mode:` takes octal digits, not "9""#]]);
        check_refused("//- /a bytes:0g\n", &expect![[r#"`bytes:` takes pairs of hex digits, not "0g""#]]);
        check_refused(
            "//- /a link:b\ntext\n",
            &expect![[r#"`a` is no file and cannot have the content "text\n""#]],
        );
    }
}
