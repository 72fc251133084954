//! What people really write: every file of the corpus goes through, nearly all load, and each that does not says where.
//!
//! The corpus is other people's text and no part of the repository. It is looked for in `GUILD_CORPUS`, then in
//! `../shared/corpus` beside the repository; where it is in neither place, our own test data is held to the same.

use crate::{env, envelope};
use guild_testkit::Env;
use serde_json::Value as Json;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ARCHIVE: &str = "wild-skills.tar.xz";
const FILES_IN_ARCHIVE: usize = 2_566;

#[test]
fn every_wild_skill_is_read_and_what_does_not_load_says_where() {
    let env = env("");
    let wild = unpack(&env);
    let output = env.guild(&["check", "--json", "wild"]);
    assert!(matches!(output.code(), Some(0 | 1)), "{}", output.stderr());
    let envelope = envelope(&output.stdout());
    let skills = envelope["data"]["skills"].as_array().unwrap();
    assert_eq!(skills.len(), wild.len());
    assert_eq!(envelope["data"]["summary"]["files"], wild.len());

    let loaded = |skill: &&Json| skill["loaded"] == true;
    for skill in skills.iter().filter(|skill| !loaded(skill)) {
        let problems = skill["problems"].as_array().unwrap();
        let named = |problem: &Json| problem["severity"] == "error" && problem["line"].as_u64() >= Some(1);
        assert!(problems.iter().any(named), "{skill}");
    }
    let with_frontmatter = wild.iter().filter(|path| has_frontmatter(path)).count();
    let loaded = skills.iter().filter(loaded).count();
    assert!(with_frontmatter > 40, "{with_frontmatter}");
    assert!(loaded * 1_000 >= with_frontmatter * 995, "{loaded} of {with_frontmatter} load");
}

#[test]
fn a_root_full_of_wild_skills_is_listed_searched_and_told_to_models() {
    let env = env("");
    let wild = unpack(&env);
    let config = format!("builtins = false\n[skills]\npaths = [{:?}]\n", env.project().join("wild"));
    fs::create_dir_all(env.join("home/.config/guild")).unwrap();
    fs::write(env.join("home/.config/guild/config.toml"), config).unwrap();
    let list = envelope(&env.guild(&["list", "--all", "--json"]).stdout());
    let data = &list["data"];
    let skills = data["skills"].as_array().unwrap();
    let count = |key: &str| data[key].as_array().unwrap().len();
    let copies: usize = skills.iter().filter_map(|skill| skill["also_at"].as_array()).map(Vec::len).sum();
    assert_eq!(data["count"], skills.len());
    // Hidden directories and deep ones are not searched, so some files are not found, but none is found twice.
    let found = skills.len() + count("broken") + count("collisions") + copies;
    assert!(found <= wild.len() && found * 10 >= wild.len() * 9, "{found} of {}", wild.len());

    let name = skills[skills.len() / 2]["qualified_name"].as_str().unwrap();
    let search = envelope(&env.guild(&["search", name, "--json"]).stdout());
    assert_eq!(search["data"]["skills"][0]["qualified_name"], name);
    assert_eq!(env.guild(&["show", name, "--json"]).code(), Some(0));
    let prompt = envelope(&env.guild(&["prompt", "--json"]).stdout());
    assert!(prompt["data"]["characters"].as_u64() <= Some(8_000));
    assert!(prompt["data"]["shown"].as_u64() > Some(0));
}

/// Unpacks the corpus into the project and gives the skill files in it.
#[track_caller]
fn unpack(env: &Env) -> Vec<PathBuf> {
    let target = env.project().join("wild");
    fs::create_dir(&target).unwrap();
    match archive() {
        Some(archive) => {
            #[expect(clippy::disallowed_methods, reason = "the archive needs a decompressor")]
            let status =
                Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(&target).status().unwrap();
            assert!(status.success(), "tar cannot unpack {}", archive.display());
            let files = files_below(&target);
            assert_eq!(files.len(), FILES_IN_ARCHIVE);
            files
        }
        None => {
            eprintln!("there is no {ARCHIVE}; our own test data stands in for it");
            copy_own(&target);
            files_below(&target)
        }
    }
}

fn archive() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the corpus is no part of the repository")]
    let configured = std::env::var_os("GUILD_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let candidates = configured.into_iter().chain([beside]);
    candidates.map(|directory| directory.join(ARCHIVE)).find(|path| path.is_file())
}

/// Every sample of a skill that loads, in a directory of its own.
fn copy_own(target: &Path) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifest/test_data/skill/ok");
    for path in fs::read_dir(samples).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension() == Some(OsStr::new("md")) {
            let directory = target.join(path.file_stem().unwrap());
            fs::create_dir(&directory).unwrap();
            fs::copy(&path, directory.join("SKILL.md")).unwrap();
        }
    }
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let children = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    children.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Whether the first line with anything on it is a fence; decided without our own reader.
fn has_frontmatter(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.trim_end() == "---")
}
