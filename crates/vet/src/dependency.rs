//! Dependency files: commands that run on installation, names that look like others, registries that are none.

use crate::address;
use crate::codes::Code;
use crate::finding::Finding;
use crate::pattern::patterns;
use crate::rows::Rows;
use crate::scan::{Scan, Setting, Source};
use crate::shell;
use serde_json::Value as Json;

/// Scripts that package managers run by themselves.
const HOOKS: &[&str] = &["preinstall", "install", "postinstall", "prepare", "preuninstall", "postuninstall"];
/// Packages that others imitate.
const POPULAR: &[&str] = &[
    "requests",
    "numpy",
    "pandas",
    "urllib3",
    "setuptools",
    "cryptography",
    "python-dateutil",
    "beautifulsoup4",
    "selenium",
    "tensorflow",
    "matplotlib",
    "scikit-learn",
    "django",
    "flask",
    "fastapi",
    "pydantic",
    "openai",
    "anthropic",
    "langchain",
    "transformers",
    "playwright",
    "express",
    "lodash",
    "react",
    "axios",
    "chalk",
    "commander",
    "typescript",
    "webpack",
    "puppeteer",
    "dotenv",
    "discord.js",
    "ethers",
    "web3",
    "colorama",
    "pillow",
    "opencv-python",
    "paramiko",
    "boto3",
];
/// Registries that everybody uses.
const REGISTRIES: &[&str] = &[
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "pypi.org",
    "files.pythonhosted.org",
    "download.pytorch.org",
    "npm.pkg.github.com",
    "pypi.nvidia.com",
    "conda.anaconda.org",
    "registry.npmmirror.com",
    "mirrors.aliyun.com",
    "test.pypi.org",
    "jsr.io",
    "npm.jsr.io",
];

patterns! {
    /// An option or setting that names a registry.
    REGISTRY = r"(--registry[ =]+|--index-url[ =]+|--extra-index-url[ =]+|(^|\n)[ ]*(registry|index-url|extra-index-url)[ ]*=[ ]*)[\x22']?https?://[^ \n\x22']+";
}

/// Looks at a file for what it makes others install.
pub fn scan(path: &str, text: &str, scan: &mut Scan) {
    let mut rows = Rows::new(text);
    for (offset, found) in REGISTRY.all(text) {
        let host = address::urls(found).map(|(_, url)| address::host(url)).next().unwrap_or_default();
        let is_known = REGISTRIES.contains(&host) || address::place(found) == address::Place::Local;
        if !is_known && host.contains('.') {
            scan.add(Finding::new(Code::ForeignRegistry, path, rows.line(offset), found));
        }
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    match name {
        "package.json" => package(path, text, scan),
        _ if name.starts_with("requirements") && name.ends_with(".txt") => requirements(path, text, scan),
        _ => {}
    }
}

fn package(path: &str, text: &str, scan: &mut Scan) {
    let Ok(package) = serde_json::from_str::<Json>(text) else { return };
    let scripts = package.get("scripts").and_then(Json::as_object);
    for (hook, command) in scripts.into_iter().flatten().filter(|(name, _)| HOOKS.contains(&name.as_str())) {
        let command = command.as_str().unwrap_or_default();
        let line = line_of(text, hook);
        scan.add(Finding::new(Code::InstallHook, path, line, &format!("{hook}: {command}")));
        shell::scan(command, &Source { depth: 1, ..Source::new(path, line, Setting::Script) }, scan);
    }
    for key in ["dependencies", "devDependencies", "optionalDependencies"] {
        let names = package.get(key).and_then(Json::as_object).into_iter().flatten().map(|(name, _)| name);
        names.for_each(|name| look_alike(path, line_of(text, name), name, scan));
    }
}

fn requirements(path: &str, text: &str, scan: &mut Scan) {
    for (row, line) in text.lines().enumerate() {
        let name: String =
            line.trim().chars().take_while(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
        if !name.is_empty() && !name.starts_with('-') {
            look_alike(path, u32::try_from(row + 1).unwrap_or(u32::MAX), &name, scan);
        }
    }
}

/// A name that differs from a popular one by one letter, or by two that changed places.
fn look_alike(path: &str, line: u32, name: &str, scan: &mut Scan) {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    if POPULAR.contains(&folded.as_str()) || folded.len() < 5 {
        return;
    }
    if let Some(known) = POPULAR.iter().find(|known| known.len() >= 5 && is_near(&folded, known)) {
        let message = format!("`{name}` has almost the name of `{known}`.");
        scan.add(Finding::new(Code::LookAlike, path, line, name).saying(&message));
    }
}

fn is_near(name: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), known.chars().collect());
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let front = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle =
        |all: &[char]| all.get(front..all.len().saturating_sub(back).max(front)).unwrap_or_default().to_vec();
    let (a, b) = (middle(&a), middle(&b));
    let swapped = a.len() == 2 && b.len() == 2 && a.first() == b.get(1) && a.get(1) == b.first();
    a.len() <= 1 && b.len() <= 1 || swapped
}

fn line_of(text: &str, key: &str) -> u32 {
    let at = text.find(&format!("\"{key}\"")).and_then(|at| text.get(..at));
    u32::try_from(at.map_or(0, |before| before.matches('\n').count()) + 1).unwrap_or(u32::MAX)
}
