//! The reader under damage: every sample cut at every byte, bytes flipped, pieces of samples glued together.
//!
//! It must never panic, and whatever it says must make sense: places lie inside the file, what is excluded says why,
//! and reading twice gives the same. The damage is random but the same in every run.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data must fail")]

use guild_manifest::skill::{self, Profile, Source};
use guild_manifest::{Problem, frontmatter};
use guild_testkit::Dice;
use std::fs;
use std::path::PathBuf;

const PROFILES: [Profile; 3] = [Profile::Lenient, Profile::Strict, Profile::Upload];

#[test]
fn a_file_cut_at_any_byte_is_read_or_refused() {
    for sample in samples() {
        for end in 0..=sample.len() {
            check(&sample[..end], Profile::Lenient);
        }
    }
}

#[test]
fn a_file_with_flipped_bytes_is_read_or_refused() {
    let samples = samples();
    let mut dice = Dice::new(0x2545_f491_4f6c_dd1d);
    for round in 0..20_000 {
        let mut bytes = dice.pick(&samples).unwrap().clone();
        for _ in 0..=dice.below(6) {
            let place = dice.below(bytes.len().max(1));
            if let Some(byte) = bytes.get_mut(place) {
                *byte = u8::try_from(dice.below(256)).unwrap();
            }
        }
        check(&bytes, PROFILES[round % PROFILES.len()]);
    }
}

#[test]
fn pieces_of_files_glued_together_are_read_or_refused() {
    let samples = samples();
    let mut dice = Dice::new(0x9e37_79b9_7f4a_7c15);
    for round in 0..10_000 {
        let mut bytes = b"---\n".to_vec();
        for _ in 0..=dice.below(5) {
            let sample = dice.pick(&samples).unwrap().clone();
            let (a, b) = (dice.below(sample.len() + 1), dice.below(sample.len() + 1));
            bytes.extend_from_slice(&sample[a.min(b)..a.max(b)]);
        }
        check(&bytes, PROFILES[round % PROFILES.len()]);
    }
}

#[test]
fn random_text_between_fences_is_read_or_refused() {
    const PIECES: &[&str] = &[
        "name: ",
        "description: ",
        "metadata: ",
        "params:\n",
        "  - ",
        "{",
        "}",
        "[",
        "]",
        "'",
        "\"",
        ": ",
        "#",
        "\t",
        "|",
        ">-\n",
        "\n",
        "\n  ",
        "openclaw",
        "requires",
        "&a",
        "*a",
        "!t",
        "%",
        "@",
        "\u{feff}",
        "\u{202e}",
        "é",
        "\r\n",
        "---",
        "...",
        "script: ../x",
        "1e999",
        "-0",
        "0x",
        "true",
        "null",
        "~",
        "\\u0000",
        "{name}",
        "\u{85}",
        "\u{2028}",
    ];
    let mut dice = Dice::new(0x0123_4567_89ab_cdef);
    for round in 0..20_000 {
        let pieces: String = (0..dice.below(24)).map(|_| *dice.pick(PIECES).unwrap()).collect();
        let text = format!("---\n{pieces}\n---\nbody\n");
        check(text.as_bytes(), PROFILES[round % PROFILES.len()]);
        frontmatter::read(&text).ok();
    }
}

#[track_caller]
fn check(bytes: &[u8], profile: Profile) {
    let source = Source { sidecar: Some(bytes), ..Source::new("SKILL.md", "stem", bytes) };
    let reading = skill::read(&source, profile);
    let lines = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 2;
    for problem in &reading.problems {
        assert!(problem.at.line >= 1 && problem.at.column >= 1, "{problem}");
        assert!(problem.at.line as usize <= lines, "{problem} lies below the file's {lines} lines");
        assert!(!problem.file.is_empty() && !problem.message.is_empty(), "{problem:?}");
    }
    let excluded = reading.problems.iter().any(Problem::excludes);
    assert_eq!(reading.skill.is_none(), excluded, "{:?}", reading.problems);
    assert_eq!(skill::read(&source, profile).problems, reading.problems);
}

fn samples() -> Vec<Vec<u8>> {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("test_data/skill");
    let folders = ["ok", "err"].map(|folder| fs::read_dir(data.join(folder)).unwrap());
    let mut files: Vec<PathBuf> = folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    assert!(files.len() > 50);
    files.iter().map(|file| fs::read(file).unwrap()).filter(|bytes| bytes.len() < 4_000).collect()
}
