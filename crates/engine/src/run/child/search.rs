//! Walking the workspace: bounded, in sorted order, past what is not a person's own work; links are not followed.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// How many names are looked at.
const MOST_NAMES: usize = 50_000;
/// How many are told.
const MOST_TOLD: usize = 500;
/// How long a line that is told may be.
const LONGEST_LINE: usize = 300;
/// Directories of what was fetched or built.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__", "dist", "build"];

/// What was found.
pub struct Found {
    /// The files, relative to the workspace.
    pub paths: Vec<String>,
    /// Whether there may be more.
    pub is_cut: bool,
}

/// The files that are wanted.
pub fn files(workspace: &Path, wanted: impl Fn(&Path) -> bool) -> Found {
    let (mut found, mut seen) = (Found { paths: Vec::new(), is_cut: false }, 0);
    let mut waiting = vec![PathBuf::new()];
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = fs::read_dir(workspace.join(&directory)) else { continue };
        let mut names: Vec<_> = entries.filter_map(Result::ok).collect();
        names.sort_by_key(fs::DirEntry::file_name);
        let mut below = Vec::new();
        for entry in names {
            seen += 1;
            if seen > MOST_NAMES {
                found.is_cut = true;
                return found;
            }
            let path = directory.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    let is_skipped = SKIPPED.iter().any(|skipped| entry.file_name() == *skipped);
                    if !is_skipped {
                        below.push(path);
                    }
                }
                Ok(kind) if kind.is_file() && wanted(&path) => {
                    found.paths.extend(path.to_str().map(str::to_owned));
                }
                _ => {}
            }
        }
        waiting.extend(below.into_iter().rev());
    }
    found.paths.sort();
    found
}

/// The names, one a line.
pub fn listed(mut paths: Vec<String>, is_cut: bool) -> String {
    let is_cut = is_cut || paths.len() > MOST_TOLD;
    paths.truncate(MOST_TOLD);
    ended(paths, is_cut)
}

/// The lines that match, as `path:line: text`.
pub fn lines(found: Found, pattern: &Regex, read: impl Fn(&str) -> Option<Vec<u8>>) -> String {
    let mut told = Vec::new();
    for path in found.paths {
        let Some(bytes) = read(&path).filter(|bytes| !bytes.contains(&0)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for (at, line) in text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)) {
            if told.len() == MOST_TOLD {
                return ended(told, true);
            }
            let line: String = line.trim().chars().take(LONGEST_LINE).collect();
            told.push(format!("{path}:{}: {line}", at + 1));
        }
    }
    ended(told, found.is_cut)
}

fn ended(mut lines: Vec<String>, is_cut: bool) -> String {
    if lines.is_empty() {
        lines.push("nothing matches".to_owned());
    }
    if is_cut {
        lines.push("… (there is more)".to_owned());
    }
    lines.join("\n")
}
