//! What holds for every skill: order, line ends, more files, evidence, damage.

use crate::world::{Owned, World};
use guild_testkit::Dice;
use guild_vet::{Code, MAX_EVIDENCE, Policy};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The fixtures of both suites.
fn fixtures() -> Vec<String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data");
    let texts = |folder: &str| {
        let entries = fs::read_dir(data.join(folder)).expect("the fixtures");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths.into_iter().map(|path| fs::read_to_string(path).expect("a text")).collect::<Vec<_>>()
    };
    let examples = texts("rules").into_iter().flat_map(|text| {
        let parts = text.split("### ").filter(|part| !part.trim().is_empty()).map(str::to_owned);
        parts.collect::<Vec<_>>()
    });
    let all = examples.chain(texts("evasion").into_iter().map(|text| text.replace("@@BLANK@@", "\n\n")));
    all.map(|text| text.split_once('\n').expect("a head").1.to_owned()).collect()
}

fn codes(world: &World) -> BTreeSet<Code> {
    world.vet().codes().collect()
}

#[test]
fn the_order_of_files_decides_nothing() {
    for text in fixtures() {
        let world = World::read(&text);
        let mut turned = world.clone();
        turned.files.reverse();
        assert_eq!(world.vet(), turned.vet(), "{text}");
    }
}

#[test]
fn line_ends_decide_nothing() {
    for text in fixtures() {
        let world = World::read(&text);
        for end in ["\r\n", "\r"] {
            let mut other = world.clone();
            for (path, content) in &mut other.files {
                // What is compared byte by byte with its source is another file afterwards.
                let is_text = !path.ends_with(".pyc") && !path.ends_with(".py");
                if let Owned::Bytes(bytes) = content
                    && let (true, Ok(text)) = (is_text, String::from_utf8(bytes.clone()))
                    && !text.contains('\r')
                {
                    *bytes = text.replace('\n', end).into_bytes();
                }
            }
            let verdict = |world: &World| world.vet().verdict(&Policy::default());
            assert_eq!(verdict(&world), verdict(&other), "{text}");
            assert_eq!(codes(&world), codes(&other), "{text}");
        }
    }
}

#[test]
fn a_benign_file_more_removes_no_finding() {
    for text in fixtures() {
        let world = World::read(&text);
        let mut larger = world.clone();
        larger
            .files
            .insert(0, ("a-notes.md".to_owned(), Owned::Bytes(b"# Notes\n\nNothing to see.\n".to_vec())));
        larger.files.push(("zz.py".to_owned(), Owned::Bytes(b"print('hello')\n".to_vec())));
        let kept: BTreeSet<_> = larger.vet().findings.into_iter().collect();
        for finding in world.vet().findings {
            assert!(kept.contains(&finding), "{finding:?} of {text}");
        }
    }
}

#[test]
fn evidence_is_short_and_holds_nothing_that_a_terminal_obeys() {
    for text in fixtures() {
        for finding in World::read(&text).vet().findings {
            for shown in [&finding.evidence, &finding.message, &finding.path] {
                assert!(shown.chars().all(|c| !c.is_control()), "{finding:?}");
            }
            assert!(finding.evidence.chars().count() <= MAX_EVIDENCE, "{finding:?}");
        }
    }
}

#[test]
fn damaged_skills_are_read_without_a_panic() {
    let mut dice = Dice::new(7);
    for text in fixtures() {
        let mut world = World::read(&text);
        for (_, content) in &mut world.files {
            let Owned::Bytes(bytes) = content else { continue };
            for _ in 0..8 {
                if bytes.is_empty() {
                    break;
                }
                let at = dice.below(bytes.len());
                match dice.below(3) {
                    0 => bytes[at] = u8::try_from(dice.below(256)).expect("a byte"),
                    1 => bytes.truncate(at),
                    _ => bytes.insert(at, b"\"'`$({[<|\\\n"[dice.below(11)]),
                }
            }
        }
        world.vet();
    }
}

#[test]
fn a_limit_that_is_reached_is_never_clean() {
    let deep = format!(
        "//- /SKILL.md\n---\nname: sample\ndescription: A sample.\n---\nText.\n//- /x.py\nx = {}{}\n",
        "(".repeat(5_000),
        ")".repeat(5_000)
    );
    let report = World::read(&deep).vet();
    assert!(!report.partial.is_empty());
    assert_eq!(report.verdict(&Policy::default()).as_str(), "warn");
}

/// Each list was copied wherever its name stood: twelve levels of sixty members would have filled any memory.
#[test]
fn lists_of_lists_do_not_grow_with_every_name() {
    let level = |at: usize| format!("x{} = [{}]\n", at + 1, format!("x{at}, ").repeat(60));
    let program: String = (0..12).map(level).collect();
    let text = format!(
        "//- /SKILL.md\n---\nname: sample\ndescription: A sample.\n---\nText.\n//- /x.py\nimport os\nx0 = 'echo'\n{program}os.system(x12)\n"
    );
    let report = World::read(&text).vet();
    assert_eq!(report.verdict(&Policy::default()).as_str(), "allow");
}
