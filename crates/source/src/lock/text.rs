//! The lock as text: one table for each thing, one line for each file, so that a difference in review shows what changed.

use super::{Entry, Kind, Lock, LockError, Offer, Origin, Previous, SourceType, VERSION, is_name, tree_of};
use guild_manifest::{Digest, FileEntry};
use serde::Deserialize;
use std::fmt::Write as _;

const HEADER: &str = "# What Guildhall installed here, byte by byte. Commit it; `guild sync` installs it elsewhere, `guild verify` compares.\n";

/// What git writes where two sides contradict each other.
const UNMERGED: &str = "<<<<<<< ";

#[derive(Deserialize)]
struct Head {
    version: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    #[serde(default)]
    skill: Vec<WrittenEntry>,
    #[serde(default)]
    plugin: Vec<WrittenEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEntry {
    name: String,
    source: String,
    source_type: SourceType,
    path: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    resolved: Option<String>,
    offer: Option<Offer>,
    #[serde(default)]
    pinned: bool,
    #[serde(default)]
    linked: bool,
    digest: Digest,
    previous: Option<WrittenPrevious>,
    files: Vec<WrittenFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPrevious {
    resolved: Option<String>,
    digest: Digest,
    from: Option<WrittenOrigin>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOrigin {
    source: String,
    source_type: SourceType,
    path: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    offer: Option<Offer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    path: String,
    size: u64,
    digest: Digest,
    #[serde(default)]
    executable: bool,
}

/// Reads a lock.
pub fn parse(text: &str) -> Result<Lock, LockError> {
    if let Some(at) = text.lines().position(|line| line.starts_with(UNMERGED)) {
        return Err(LockError::Unmerged { line: at + 1 });
    }
    let syntax = |error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        LockError::Syntax { line, message: error.message().to_owned() }
    };
    let written = match toml::from_str::<Written>(text) {
        Ok(written) if written.version == VERSION => written,
        // Its version comes first: a newer format is no mistake in this one.
        read => {
            let Head { version } = toml::from_str(text).map_err(syntax)?;
            let newer = || LockError::Newer { version };
            return Err(read.err().filter(|_| version == VERSION).map_or_else(newer, syntax));
        }
    };
    let mut lock = Lock::default();
    let skills = written.skill.into_iter().map(|entry| (Kind::Skill, entry));
    for (kind, entry) in skills.chain(written.plugin.into_iter().map(|entry| (Kind::Plugin, entry))) {
        let entry = entry.checked(kind)?;
        if lock.get(kind, &entry.name).is_some() {
            return Err(LockError::Twice { name: entry.name });
        }
        lock.put(entry);
    }
    Ok(lock)
}

impl WrittenEntry {
    fn checked(self, kind: Kind) -> Result<Entry, LockError> {
        let name = self.name;
        if !is_name(&name) {
            return Err(LockError::Name { name: name.chars().take(80).collect() });
        }
        let file = |file: WrittenFile| FileEntry {
            path: file.path,
            executable: file.executable,
            size: file.size,
            digest: file.digest,
        };
        let tree = tree_of(&name, self.files.into_iter().map(file).collect())?;
        if tree.digest() != self.digest {
            return Err(LockError::Digest { name });
        }
        let origin = Origin {
            source: self.source,
            source_type: self.source_type,
            path: self.path,
            reference: self.reference,
            resolved: self.resolved,
            offer: self.offer,
        };
        let (pinned, linked, digest) = (self.pinned, self.linked, self.digest);
        let previous = self.previous.map(WrittenPrevious::read);
        Ok(Entry { name, kind, origin, pinned, linked, digest, tree, previous })
    }
}

impl WrittenPrevious {
    fn read(self) -> Previous {
        let origin = |from: WrittenOrigin| Origin {
            source: from.source,
            source_type: from.source_type,
            path: from.path,
            reference: from.reference,
            resolved: None,
            offer: from.offer,
        };
        let elsewhere = self.from.map(|from| Box::new(origin(from)));
        Previous { resolved: self.resolved, digest: self.digest, elsewhere }
    }
}

/// Writes a lock.
pub fn write(lock: &Lock) -> String {
    let mut text = format!("{HEADER}version = {VERSION}\n");
    for entry in lock.entries() {
        // Writing to a string cannot fail.
        let _ = write_entry(&mut text, entry);
    }
    text
}

fn write_entry(text: &mut String, entry: &Entry) -> std::fmt::Result {
    writeln!(text, "\n[[{}]]\nname = {}", entry.kind, quoted(&entry.name))?;
    for line in origin_lines(&entry.origin) {
        writeln!(text, "{line}")?;
    }
    for (key, is_set) in [("pinned", entry.pinned), ("linked", entry.linked)] {
        if is_set {
            writeln!(text, "{key} = true")?;
        }
    }
    writeln!(text, "digest = \"{}\"", entry.digest)?;
    if let Some(Previous { resolved, digest, elsewhere }) = &entry.previous {
        let resolved = resolved.as_ref().map(|resolved| format!("resolved = {}, ", quoted(resolved)));
        let from = elsewhere.as_ref().map(|from| format!(", from = {{ {} }}", origin_lines(from).join(", ")));
        let (resolved, from) = (resolved.unwrap_or_default(), from.unwrap_or_default());
        writeln!(text, "previous = {{ {resolved}digest = \"{digest}\"{from} }}")?;
    }
    writeln!(text, "files = [")?;
    for FileEntry { path, executable, size, digest } in entry.tree.files() {
        let executable = if *executable { ", executable = true" } else { "" };
        writeln!(text, "  {{ path = {}, size = {size}, digest = \"{digest}\"{executable} }},", quoted(path))?;
    }
    writeln!(text, "]")
}

/// An origin, a line for each of its keys.
fn origin_lines(origin: &Origin) -> Vec<String> {
    let Origin { source, source_type, path, reference, resolved, offer } = origin;
    let mut lines =
        vec![format!("source = {}", quoted(source)), format!("source_type = {}", quoted(source_type.word()))];
    for (key, value) in [("path", path), ("ref", reference), ("resolved", resolved)] {
        lines.extend(value.as_ref().map(|value| format!("{key} = {}", quoted(value))));
    }
    if let Some(Offer { marketplace, reference, plugin }) = offer {
        let reference = reference.as_ref().map(|reference| format!("ref = {}, ", quoted(reference)));
        lines.push(format!(
            "offer = {{ marketplace = {}, {}plugin = {} }}",
            quoted(marketplace),
            reference.unwrap_or_default(),
            quoted(plugin)
        ));
    }
    lines
}

/// A text as TOML quotes it: as JSON does, but for one character.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn entry(name: &str, kind: Kind, paths: &[&str]) -> Entry {
        let file = |path: &&str| FileEntry {
            path: (*path).to_owned(),
            executable: path.ends_with(".sh"),
            size: path.len() as u64,
            digest: Digest::of(path.as_bytes()),
        };
        let tree = tree_of(name, paths.iter().map(file).collect()).unwrap();
        Entry {
            name: name.to_owned(),
            kind,
            origin: Origin {
                source: "https://git.example/skills.git".to_owned(),
                source_type: SourceType::Git,
                path: Some(format!("skills/{name}")),
                reference: None,
                resolved: Some("0".repeat(40)),
                offer: None,
            },
            pinned: false,
            linked: false,
            digest: tree.digest(),
            tree,
            previous: None,
        }
    }

    fn lock() -> Lock {
        let mut lock = Lock::default();
        lock.put(entry("b", Kind::Skill, &["SKILL.md", "odd \"name\"\u{7f}\\.md", "run.sh"]));
        lock.put(Entry {
            pinned: true,
            previous: Some(Previous {
                resolved: Some("v1".to_owned()),
                digest: Digest::of(b""),
                elsewhere: None,
            }),
            ..entry("a", Kind::Skill, &["SKILL.md"])
        });
        let mut offered = entry("b", Kind::Plugin, &["plugin.json"]);
        let (marketplace, reference) = ("./market".to_owned(), Some("v1".to_owned()));
        offered.origin.offer = Some(Offer { marketplace, reference, plugin: "b".to_owned() });
        lock.put(offered);
        lock
    }

    #[test]
    fn a_lock_is_sorted_and_comes_back_as_it_was_written() {
        let text = lock().text();
        expect![[r##"
            # What Guildhall installed here, byte by byte. Commit it; `guild sync` installs it elsewhere, `guild verify` compares.
            version = 1

            [[skill]]
            name = "a"
            source = "https://git.example/skills.git"
            source_type = "git"
            path = "skills/a"
            resolved = "0000000000000000000000000000000000000000"
            pinned = true
            digest = "sha256:b660d924f0bd646415463fce691365c8a39b0f94cdfa87bd8c4204b82f6cfed4"
            previous = { resolved = "v1", digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" }
            files = [
              { path = "SKILL.md", size = 8, digest = "sha256:0e95f5a3666031d6fac42bc6ca698b40b61648f4974c8ec355181ed4888c5c26" },
            ]

            [[skill]]
            name = "b"
            source = "https://git.example/skills.git"
            source_type = "git"
            path = "skills/b"
            resolved = "0000000000000000000000000000000000000000"
            digest = "sha256:f33497d6b6c4affc6d9798e5c813585a91f254c8bfaa17c3c6312198b67bcb38"
            files = [
              { path = "SKILL.md", size = 8, digest = "sha256:0e95f5a3666031d6fac42bc6ca698b40b61648f4974c8ec355181ed4888c5c26" },
              { path = "odd \"name\"\u007f\\.md", size = 15, digest = "sha256:9457d0803c7aade70e4e9e7badaa7cea47ecaf49b52c599f74b15362acd00eee" },
              { path = "run.sh", size = 6, digest = "sha256:d31ce0453051853c17ba2a5225b3d1bfab548e095bab0967d6acfd1b3ce1b35d", executable = true },
            ]

            [[plugin]]
            name = "b"
            source = "https://git.example/skills.git"
            source_type = "git"
            path = "skills/b"
            resolved = "0000000000000000000000000000000000000000"
            offer = { marketplace = "./market", ref = "v1", plugin = "b" }
            digest = "sha256:d6a217024d4e77b96b9b4683dee8ea5d1d739669a0600bee161d074fa87402e5"
            files = [
              { path = "plugin.json", size = 11, digest = "sha256:7b32f67ab72ef7b295c60be75ff703b7660e0f7e737e77251e5cc69deb7844aa" },
            ]
        "##]].assert_eq(&text);
        assert_eq!(Lock::parse(&text).unwrap(), lock());
    }

    #[track_caller]
    fn check(from: &str, to: &str, expected: &Expect) {
        let text = lock().text();
        assert!(text.contains(from));
        expected.assert_eq(&Lock::parse(&text.replacen(from, to, 1)).unwrap_err().to_string());
    }

    #[test]
    fn what_contradicts_itself_or_is_newer_is_refused() {
        check(
            "version = 1",
            "version = 2",
            &expect!["it is of version 2, and this program knows 1; install a newer Guildhall"],
        );
        check(
            "size = 8",
            "size = 9",
            &expect!["the files of `a` are not what its digest says: somebody has edited the lock"],
        );
        check(
            "path = \"SKILL.md\"",
            "path = \"../SKILL.md\"",
            &expect!["the files of `a` make no tree: `../SKILL.md` is no path of a file in a tree"],
        );
        check(
            "name = \"a\"",
            "name = \"../a\"",
            &expect!["`../a` cannot be the name of something installed"],
        );
        check("name = \"a\"", "name = \"b\"", &expect!["`b` is there twice"]);
        check(
            "source_type = \"git\"",
            "source_type = \"fax\"",
            &expect![
                "line 7: unknown variant `fax`, expected one of `local`, `git`, `archive`, `skills`, `well-known`, `npm`, `oci`, `mcp`"
            ],
        );
        check(
            "pinned = true",
            "pinnd = true",
            &expect![
                "line 10: unknown field `pinnd`, expected one of `name`, `source`, `source_type`, `path`, `ref`, `resolved`, `offer`, `pinned`, `linked`, `digest`, `previous`, `files`"
            ],
        );
        check(
            "[[skill]]",
            "<<<<<<< HEAD\n[[skill]]",
            &expect![
                "line 4: a merge of it was not finished; keep of each side what is to be installed, each name once"
            ],
        );
        check("[[skill]]", "[[skill]", &expect!["line 4: unclosed array table, expected `]`"]);
    }
}
