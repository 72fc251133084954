//! Random trees and random edits, through real overlays and copies: what is applied is what the command saw.

use std::fmt::Write as _;

use guild_testkit::{Dice, rounds};

use crate::world::{WAYS, World, inside, render};

/// Few paths, so that edits meet each other.
const DIRECTORIES: &[&str] = &["a", "a/b", "a/b/c", "b", "b/a", "c"];
const NAMES: &[&str] = &["a", "b", "c", "x", "y"];
const FILE_MODES: &[&str] = &["644", "600", "755", "444", "400"];
const DIRECTORY_MODES: &[&str] = &["755", "700", "555", "500"];

#[test]
fn what_is_applied_is_what_the_command_saw() {
    let mut changes = 0;
    for seed in 1..=rounds() {
        let mut dice = Dice::new(seed * 7919);
        let (files, script) = (tree(&mut dice), edits(&mut dice));
        let listed: Vec<String> = WAYS
            .iter()
            .map(|&way| {
                inside(way, || {
                    let world = World::new(&files, way);
                    let listing = world.run(&script);
                    let text = render(&listing);
                    changes += listing.changes.len();
                    world.save(listing);
                    world
                        .apply()
                        .unwrap_or_else(|error| panic!("{way:?}: {error:?}\n{files}\n{script}\n{text}"));
                    let (now, seen) = (world.snapshot("source"), world.snapshot("merged"));
                    assert_eq!(now, seen, "{way:?}\n{files}\n{script}\n{text}");
                    text
                })
            })
            .collect();
        assert!(listed.windows(2).all(|pair| pair[0] == pair[1]), "{files}\n{script}\n{listed:#?}");
    }
    assert!(changes > 300, "only {changes} changes were tried");
}

/// A random tree as a fixture.
fn tree(dice: &mut Dice) -> String {
    let mut text = String::new();
    for directory in DIRECTORIES {
        for name in ["x", "y", "z"] {
            match dice.below(5) {
                0 => {}
                1 => writeln!(text, "//- /{directory}/{name} link:{}", pick(dice, NAMES)).unwrap(),
                _ => {
                    let (mode, content) = (pick(dice, FILE_MODES), dice.below(100));
                    writeln!(text, "//- /{directory}/{name} mode:{mode}\n{content}").unwrap();
                }
            }
        }
    }
    // The deepest first: nothing more is written into them.
    for directory in DIRECTORIES.iter().rev() {
        writeln!(text, "//- /{directory}/ mode:{}", pick(dice, DIRECTORY_MODES)).unwrap();
    }
    text
}

/// Random edits as a script. One that is not possible is left out.
fn edits(dice: &mut Dice) -> String {
    let mut script = String::new();
    for _ in 0..20 {
        let (one, other, number) = (path(dice), path(dice), dice.below(1000));
        let edit = match dice.below(14) {
            0 | 1 => format!("echo {number} > {one}"),
            2 => format!("echo {number} >> {one}"),
            3 | 4 => format!("rm -rf {one}"),
            5 => format!("mkdir -p {one}"),
            6 => format!("mv -T {one} {other}"),
            // A directory copied into itself is what the order of its names makes of it.
            7 => format!("[ ! -d {one} ] && cp -a {one} {other}"),
            8 => format!("ln -sfn {} {one}", pick(dice, NAMES)),
            9 => format!("chmod {} {one}", pick(dice, FILE_MODES)),
            10 => format!("chmod {} {one}", pick(dice, DIRECTORY_MODES)),
            11 => format!("rm -rf {one}; mkdir {one}; echo {number} > {one}/new"),
            12 => format!("touch {one}"),
            _ => format!("ln {one} {other}"),
        };
        writeln!(script, "({edit}) 2> /dev/null || :").unwrap();
    }
    // A directory that its owner cannot read is refused, which is tested elsewhere.
    script.push_str("find . -type d ! -perm -500 -exec chmod u+rx {} +\n");
    script
}

fn path(dice: &mut Dice) -> String {
    match dice.below(3) {
        0 => pick(dice, DIRECTORIES).to_owned(),
        _ => format!("{}/{}", pick(dice, DIRECTORIES), pick(dice, NAMES)),
    }
}

fn pick(dice: &mut Dice, items: &[&'static str]) -> &'static str {
    dice.pick(items).copied().unwrap()
}
