//! Looking at the workspace: one file, names by a pattern, lines by a pattern. Nothing is written, and no link is followed out.
//!
//! Files that hold credentials by their name are refused: what a child agent reads leaves this machine.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use guild_manifest::glob::Pattern;
use regex::RegexBuilder;
use serde_json::{Map, Value, json};

use super::search;
use crate::ports::OfferedTool;
use crate::schema::Validator;
use crate::{Code, Refusal};

/// How much of one file is read at once.
const MOST_BYTES: u64 = 1 << 20;
/// How many lines are read at once where nobody says.
const LINES: usize = 1000;
/// What a pattern may come to.
const PATTERN_BYTES: usize = 1 << 20;

/// Names of files that hold credentials.
const GUARDED: &[&str] = &[
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
/// Endings of such names.
const GUARDED_ENDINGS: &[&str] = &[".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx"];

/// A tool that looks.
pub struct DeskTool {
    /// Its name, as `provider:tool`.
    pub name: &'static str,
    description: &'static str,
    input: fn() -> Value,
    run: fn(&Path, &Map<String, Value>) -> Result<String, String>,
}

/// All of them.
pub const TOOLS: &[DeskTool] = &[
    DeskTool {
        name: "builtin:read_file",
        description: "Read a text file of the workspace, with line numbers",
        input: || {
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "relative to the workspace"},
                    "offset": {"type": "integer", "minimum": 1, "description": "the first line"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 5000, "description": "how many lines"},
                },
                "required": ["path"],
                "additionalProperties": false,
            })
        },
        run: read_file,
    },
    DeskTool {
        name: "builtin:glob",
        description: "List files of the workspace whose path matches a glob, such as src/**/*.rs",
        input: || {
            json!({
                "type": "object",
                "properties": {"pattern": {"type": "string"}},
                "required": ["pattern"],
                "additionalProperties": false,
            })
        },
        run: glob,
    },
    DeskTool {
        name: "builtin:grep",
        description: "Find lines of the workspace's files that match a regular expression",
        input: || {
            json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string"},
                    "glob": {"type": "string", "description": "only in files whose path matches"},
                    "ignore_case": {"type": "boolean"},
                },
                "required": ["pattern"],
                "additionalProperties": false,
            })
        },
        run: grep,
    },
];

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static DeskTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl DeskTool {
    /// As a child agent is told of it.
    pub fn offered(&self) -> OfferedTool {
        OfferedTool {
            name: self.name.to_owned(),
            short: String::new(),
            description: self.description.to_owned(),
            input: (self.input)(),
            is_read_only: true,
        }
    }
}

/// Looks, if what it is given makes sense.
pub fn look(tool: &DeskTool, workspace: &Path, input: &Map<String, Value>) -> Result<String, Refusal> {
    let invalid = |message: String| Refusal::new(Code::ToolInputInvalid, message);
    let validator = Validator::new(&(tool.input)()).map_err(|error| Refusal::new(Code::Internal, error))?;
    let errors = validator.errors(&Value::Object(input.clone()));
    if !errors.is_empty() {
        let told: Vec<String> = errors.into_iter().map(|(_, message)| message).collect();
        return Err(invalid(told.join("; ")));
    }
    (tool.run)(workspace, input).map_err(invalid)
}

fn text<'i>(input: &'i Map<String, Value>, name: &str) -> Option<&'i str> {
    input.get(name).and_then(Value::as_str)
}

fn number(input: &Map<String, Value>, name: &str) -> Option<usize> {
    input.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

fn read_file(workspace: &Path, input: &Map<String, Value>) -> Result<String, String> {
    let given = text(input, "path").unwrap_or_default();
    let bytes = contents(workspace, given)?;
    if bytes.contains(&0) {
        return Err(format!("`{given}` is no text"));
    }
    let whole = String::from_utf8_lossy(&bytes);
    let (first, count) = (number(input, "offset").unwrap_or(1), number(input, "limit").unwrap_or(LINES));
    let lines = whole.lines().enumerate().skip(first.saturating_sub(1)).take(count);
    let shown: Vec<String> = lines.map(|(at, line)| format!("{}: {line}", at + 1)).collect();
    let more = whole.lines().nth(first.saturating_sub(1).saturating_add(count)).is_some();
    let is_cut = bytes.len() as u64 >= MOST_BYTES;
    let rest = if more || is_cut { "\n… (there is more)" } else { "" };
    Ok(format!("{}{rest}", shown.join("\n")))
}

fn glob(workspace: &Path, input: &Map<String, Value>) -> Result<String, String> {
    let matcher = matcher(text(input, "pattern").unwrap_or_default())?;
    let found = search::files(workspace, |path| !is_guarded(path) && matcher.matches(path));
    Ok(search::listed(found.paths, found.is_cut))
}

fn grep(workspace: &Path, input: &Map<String, Value>) -> Result<String, String> {
    let pattern = RegexBuilder::new(text(input, "pattern").unwrap_or_default())
        .case_insensitive(input.get("ignore_case") == Some(&Value::Bool(true)))
        .size_limit(PATTERN_BYTES)
        .build()
        .map_err(|error| format!("the pattern cannot be used: {error}"))?;
    let only = text(input, "glob").map(matcher).transpose()?;
    let wanted = |path: &Path| !is_guarded(path) && only.as_ref().is_none_or(|only| only.matches(path));
    let found = search::files(workspace, wanted);
    Ok(search::lines(found, &pattern, |path| contents(workspace, path).ok()))
}

fn matcher(pattern: &str) -> Result<Pattern, String> {
    // A name without a directory is looked for everywhere.
    let pattern = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let built = Pattern::new(pattern.trim_start_matches("./"));
    built.map_err(|reason| format!("the glob `{pattern}` cannot be used: {reason}"))
}

/// The bytes of a file inside the workspace, as many as are read at once.
fn contents(workspace: &Path, given: &str) -> Result<Vec<u8>, String> {
    let path = place(workspace, given)?;
    let unreadable = |error: std::io::Error| format!("`{given}` cannot be read: {error}");
    let facts = path.metadata().map_err(unreadable)?;
    if !facts.is_file() {
        return Err(format!("`{given}` is no file"));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(unreadable)?.take(MOST_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Where a path really leads, if that is inside.
fn place(workspace: &Path, given: &str) -> Result<PathBuf, String> {
    let outside = || format!("`{given}` lies outside the workspace");
    let given_path = Path::new(given);
    if given_path.components().any(|part| part == Component::ParentDir) {
        return Err(outside());
    }
    let below = given_path.strip_prefix(workspace).unwrap_or(given_path);
    let below = below.strip_prefix(super::super::workspace::INSIDE).unwrap_or(below);
    if below.is_absolute() {
        return Err(outside());
    }
    let real = workspace.join(below).canonicalize().map_err(|_| format!("there is no `{given}`"))?;
    let inside = real.strip_prefix(workspace).map_err(|_| outside())?;
    if is_guarded(inside) {
        return Err(format!("`{given}` may hold credentials, and is not shown"));
    }
    Ok(real)
}

/// Whether a file of this name is not shown: it holds credentials, or it is git's own.
fn is_guarded(path: &Path) -> bool {
    let is_gits = path.components().any(|part| part.as_os_str() == ".git");
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_environment =
        name.starts_with(".env.") && !name.ends_with(".example") && !name.ends_with(".sample");
    is_gits
        || is_environment
        || GUARDED.contains(&name.as_str())
        || GUARDED_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use guild_testkit::Fixture;
    use std::os::unix::fs::symlink;

    #[track_caller]
    fn check(tool: &str, input: Value, expected: &Expect) {
        let fixture = Fixture::write(
            "//- /outside.txt\nsecret\n//- /work/src/main.rs\nfn main() {\n    todo!()\n}\n//- /work/src/lib.rs\npub fn one() {}\n\
             //- /work/README.md\n# Work\n//- /work/.env\nTOKEN=1\n//- /work/.git/config\nurl = todo\n//- /work/node_modules/x/a.rs\ntodo\n",
        );
        let workspace = fixture.join("work").canonicalize().unwrap();
        symlink(fixture.join("outside.txt"), workspace.join("link")).unwrap();
        symlink(fixture.path(), workspace.join("up")).unwrap();
        let tool = find(&format!("builtin:{tool}")).unwrap();
        let told = match look(tool, &workspace, input.as_object().unwrap()) {
            Ok(text) => text,
            Err(refusal) => format!("{}: {}", refusal.code.as_str(), refusal.message),
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn a_file_is_read_by_lines() {
        check(
            "read_file",
            json!({"path": "src/main.rs"}),
            &expect![[r#"
                1: fn main() {
                2:     todo!()
                3: }"#]],
        );
        check(
            "read_file",
            json!({"path": "/workspace/src/main.rs", "offset": 2, "limit": 1}),
            &expect![[r#"
                2:     todo!()
                … (there is more)"#]],
        );
    }

    #[test]
    fn nothing_outside_and_no_credential_is_read() {
        for path in
            ["../outside.txt", "link", "up/outside.txt", "/etc/passwd", ".env", ".git/config", "gone", "src"]
        {
            let fixture = Fixture::write(
                "//- /outside.txt\nsecret\n//- /work/.env\nTOKEN=1\n//- /work/.git/config\n[x]\n//- /work/src/a\n",
            );
            let workspace = fixture.join("work").canonicalize().unwrap();
            symlink(fixture.join("outside.txt"), workspace.join("link")).unwrap();
            symlink(fixture.path(), workspace.join("up")).unwrap();
            assert!(contents(&workspace, path).is_err(), "{path}");
        }
        check(
            "read_file",
            json!({"path": "link"}),
            &expect!["tool_input_invalid: `link` lies outside the workspace"],
        );
        check(
            "read_file",
            json!({"path": ".env"}),
            &expect!["tool_input_invalid: `.env` may hold credentials, and is not shown"],
        );
        check(
            "read_file",
            json!({"file": "x"}),
            &expect![[
                r#"tool_input_invalid: Additional properties are not allowed ('file' was unexpected); "path" is a required property"#
            ]],
        );
    }

    #[test]
    fn names_and_lines_are_found_by_pattern() {
        check(
            "glob",
            json!({"pattern": "*.rs"}),
            &expect![[r#"
            src/lib.rs
            src/main.rs"#]],
        );
        check(
            "glob",
            json!({"pattern": "*"}),
            &expect![[r#"
            README.md
            src/lib.rs
            src/main.rs"#]],
        );
        check("grep", json!({"pattern": "TODO", "ignore_case": true}), &expect!["src/main.rs:2: todo!()"]);
        check(
            "grep",
            json!({"pattern": "fn", "glob": "src/lib.*"}),
            &expect!["src/lib.rs:1: pub fn one() {}"],
        );
        check("grep", json!({"pattern": "nowhere"}), &expect!["nothing matches"]);
        check(
            "grep",
            json!({"pattern": "("}),
            &expect![[r#"
            tool_input_invalid: the pattern cannot be used: regex parse error:
                (
                ^
            error: unclosed group"#]],
        );
    }
}
