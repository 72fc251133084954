//! What is installed, taken to other installers and machines and brought from them.

use super::{assert_nothing_is_left, check, done, tree, trimmed, world, world_of_skills};
use crate::desk::masked;
use crate::envelope;
use expect_test::{Expect, expect};
use guild_engine::source::archive::{Packer, unpack};
use guild_testkit::{Env, Fixture, session};
use std::fs;
use std::path::Path;

fn read(env: &Env, path: &str) -> String {
    fs::read_to_string(env.join(path)).unwrap()
}

#[test]
fn a_lock_for_other_installers_is_written_and_comes_back() {
    let (env, repository) = world_of_skills();
    env.write("//- /project/own/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down all of it, in the order in which it was said.\n");
    done(&env, &["add", "acme/skills#v1", "--skill", "pdf,docx,acme"]);
    done(&env, &["add", "./own/notes"]);
    check(
        &env,
        "
        guild export skills-lock.json --format skills-lock
        guild export skills-lock.json --format skills-lock
        guild export skills-lock.json --format skills-lock --replace --json
        guild export skill-lock.json --format skill-lock
        ",
        &expect![[r#"
            $ guild export skills-lock.json --format skills-lock
            exported skill docx
            exported skill notes
            exported skill pdf
            left out acme: it is a plugin
            [stderr]
            3 exported, 1 skill left out
            $ guild export skills-lock.json --format skills-lock
            [stderr]
            error[already_exists]: [ROOT]/project/skills-lock.json is there already; `--replace` writes over it, and `--merge` adds to a lock
            [exit 1]
            $ guild export skills-lock.json --format skills-lock --replace --json
            {"status":"ok","code":"ok","message":"3 exported, 1 skill left out","data":{"scope":"project","form":"skills-lock","path":"[ROOT]/project/skills-lock.json","exported":[{"name":"docx","kind":"skill","digest":"sha256:a9d64729e87e047acf97121316cd846647d0bd1c20945089383e8cda41547b3f"},{"name":"notes","kind":"skill","digest":"sha256:0de5a9f2f5f0559ed622d9eee4ca12e09822d4eda95775961dce1271bc3cc636"},{"name":"pdf","kind":"skill","digest":"sha256:88b868391df3dc1ccfa13ae21ac02326d048c49e099bb0bdb73baa8122dd917c"}],"skipped":[{"name":"acme","reason":"it is a plugin"}],"grants":0,"receipts":0}}
            $ guild export skill-lock.json --format skill-lock
            exported skill docx
            exported skill notes
            exported skill pdf
            left out acme: it is a plugin
            [stderr]
            3 exported, 1 skill left out
        "#]],
    );
    // The hashes are those that the other installer and git have.
    expect![[r#"
        {
          "version": 1,
          "skills": {
            "docx": {
              "source": "acme/skills",
              "ref": "v1",
              "sourceType": "github",
              "computedHash": "4b8a40b38b567c7195e1171e890625e33fc101ca81aad85497149aa4842e31c4"
            },
            "notes": {
              "source": "./own/notes",
              "sourceType": "local",
              "computedHash": "fb24697b505d13b78347a63cb3ba31a092b4aa85bbb8d5ff1e27c40e06a478ae"
            },
            "pdf": {
              "source": "acme/skills",
              "ref": "v1",
              "sourceType": "github",
              "computedHash": "113b87fd436d968db8c082155a013f70da9430f8a36cac95992a7abecf410e30"
            }
          }
        }
    "#]]
    .assert_eq(&read(&env, "project/skills-lock.json"));
    let tree_id = repository.git(&["rev-parse", "v1:skills/pdf"]);
    assert!(read(&env, "project/skill-lock.json").contains(tree_id.trim()), "{tree_id}");
    done(&env, &["remove", "pdf", "docx", "acme", "notes"]);
    check(
        &env,
        "
        guild import skills-lock.json
        guild import skills-lock.json
        guild verify
        guild import skill-lock.json --user
        ",
        &expect![[r#"
            $ guild import skills-lock.json
            installed skill notes (./own/notes)
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 installed
            $ guild import skills-lock.json
            unchanged skill notes (./own/notes)
            unchanged skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            unchanged skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 as it was
            $ guild verify
            [stderr]
            3 verified
            $ guild import skill-lock.json --user
            installed skill notes ([ROOT]/project/own/notes)
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 installed
        "#]],
    );
    expect![[r#"
        skills/docx/SKILL.md
        skills/notes/SKILL.md
        skills/pdf/SKILL.md
        skills/pdf/scripts/read.sh*"#]]
    .assert_eq(&tree(&env, "project/.guild"));
}

#[test]
fn what_has_moved_since_it_was_locked_is_not_taken_for_what_it_was() {
    let (env, mut repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--skill", "pdf"]);
    done(&env, &["export", "skills-lock.json", "--format", "skills-lock"]);
    done(&env, &["remove", "pdf"]);
    repository.commit("//- /skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Reads PDF files\n---\n\nRead it from the end to the beginning, and back again.\n");
    repository.publish(&env.join("srv/acme"), "skills");
    check(
        &env,
        "
        guild import skills-lock.json
        guild import skills-lock.json --latest
        ",
        &expect![[r#"
            $ guild import skills-lock.json
            [stderr]
            error[source_changed]: `pdf` from https://github.com/acme/skills is not what it was when it was locked; nothing was installed: `--latest` takes it as it is now
            [exit 1]
            $ guild import skills-lock.json --latest
            installed skill pdf (https://github.com/acme/skills at 2a859a0faf88)
            [stderr]
            1 installed
        "#]],
    );
}

#[test]
fn a_hash_that_cannot_be_read_installs_nothing() {
    let (env, _repository) = world_of_skills();
    for (file, key, hash) in [
        ("short", "computedHash", "deadbeef"),
        ("capitals", "computedHash", "E98BBE26".repeat(8).as_str()),
        ("folder", "skillFolderHash", "main"),
    ] {
        env.write(&format!(
            "//- /project/{file}.json\n{{\"version\": 1, \"skills\": {{\"pdf\": {{\"source\": \"acme/skills\", \"{key}\": \"{hash}\"}}}}}}\n"
        ));
    }
    check(
        &env,
        "
        guild import short.json
        guild import capitals.json
        guild import folder.json
        guild list --installed
        ",
        &expect![[r#"
            $ guild import short.json
            [stderr]
            error[lock_invalid]: [ROOT]/project/short.json cannot be read: `computedHash` of `pdf` is not 64 hexadecimal digits, so that nothing can be held to it; let its installer write the lock anew
            [exit 1]
            $ guild import capitals.json
            [stderr]
            error[source_changed]: `pdf` from https://github.com/acme/skills is not what it was when it was locked; nothing was installed: `--latest` takes it as it is now
            [exit 1]
            $ guild import folder.json
            [stderr]
            error[lock_invalid]: [ROOT]/project/folder.json cannot be read: `skillFolderHash` of `pdf` is not 40 hexadecimal digits, so that nothing can be held to it; let its installer write the lock anew
            [exit 1]
            $ guild list --installed
            [stderr]
            0 installed
        "#]],
    );
}

#[test]
fn clawhubs_skills_are_taken_from_where_it_has_put_them() {
    let (env, _repository) = world_of_skills();
    env.write("
//- /project/.clawhub/lock.json
{\"version\": 1, \"skills\": {
  \"weather\": {\"version\": \"1.0.0\", \"installedAt\": 1700000000000},
  \"pdf\": {\"version\": null, \"installedAt\": 1, \"sourceRepository\": \"acme/skills\", \"sourcePath\": \"skills/pdf\"}
}}
//- /project/skills/weather/SKILL.md
---
name: weather
description: Tells the weather
---

Look out of the window, and say what you see there.
");
    check(
        &env,
        "guild import .clawhub/lock.json\nguild list --installed",
        &expect![[r#"
        $ guild import .clawhub/lock.json
        installed skill weather (./skills/weather)
        installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
        [stderr]
        2 installed
        $ guild list --installed
        NAME     KIND   WHERE    STATE   VERSION       SOURCE                          PREVIEW
        pdf      skill  project  intact  cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, page by page.
        weather  skill  project  intact  -             ./skills/weather                Look out of the window, and say what you see there.
        [stderr]
        2 installed
    "#]],
    );
}

#[test]
fn what_cannot_be_imported_says_why() {
    let env = world();
    env.write("
//- /project/newer.json
{\"version\": 9, \"skills\": {}}
//- /project/none.json
[]
//- /project/odd.json
{\"version\": 1, \"skills\": {\"x\": {\"source\": \"ext::sh -c id\", \"sourceType\": \"git\"}}}
//- /project/path.json
{\"version\": 1, \"skills\": {\"x\": {\"source\": \"./x\", \"sourceType\": \"github\"}}}
//- /project/option.json
{\"version\": 1, \"skills\": {\"x\": {\"source\": \"a/b\", \"ref\": \"--upload-pack=id\", \"sourceType\": \"github\"}}}
//- /project/empty.json
{\"version\": 1, \"skills\": {\"x\": {\"source\": \"x\", \"sourceType\": \"node_modules\"}}}
");
    check(
        &env,
        "
        guild import newer.json
        guild import none.json
        guild import odd.json
        guild import path.json
        guild import option.json
        guild import empty.json
        guild import absent.json
        guild import empty.json --agent reviewer
        ",
        &expect![[r#"
            $ guild import newer.json
            [stderr]
            error[lock_invalid]: [ROOT]/project/newer.json cannot be read: it is of version 9, and `skills-lock.json` 1, `.skill-lock.json` 3 and `.clawhub/lock.json` 1 are known
            [exit 1]
            $ guild import none.json
            [stderr]
            error[lock_invalid]: [ROOT]/project/none.json is neither a bundle nor a lock of skills
            [exit 1]
            $ guild import odd.json
            [stderr]
            error[source_invalid]: `ext::sh -c id` is no source: it has a blank in it; a directory is written ./like this
            [exit 2]
            $ guild import path.json
            [stderr]
            error[source_invalid]: the lock's source `./x` is a path, and says that it is none
            [exit 2]
            $ guild import option.json
            [stderr]
            error[source_invalid]: the lock's source `a/b` has no such ref
            [exit 2]
            $ guild import empty.json
            left out x: it came out of `node_modules`; install it from its repository
            [stderr]
            nothing was installed, 1 skill left out
            $ guild import absent.json
            [stderr]
            error[path_not_found]: cannot read [ROOT]/project/absent.json: No such file or directory (os error 2)
            [exit 1]
            $ guild import empty.json --agent reviewer
            [stderr]
            error[person_required]: agent `reviewer` cannot decide this; it takes a person
            [exit 3]
        "#]],
    );
}

const GREET: &str = "
//- /project/own/greet/SKILL.md
---
name: greet
description: Greets
script: greet.sh
---

Greet everybody who is in the room, one after the other.
//- /project/own/greet/greet.sh mode:755
#!/bin/sh
echo hello
";

/// A bundle of a machine on which a skill, a plugin and a script that was approved for ever are installed.
fn bundled() -> (Env, Vec<u8>) {
    let (env, _repository) = world_of_skills();
    env.write(GREET);
    done(&env, &["add", "acme/skills", "--skill", "pdf,acme"]);
    done(&env, &["add", "./own/greet"]);
    done(&env, &["add", "./own/greet", "--user", "--link"]);
    done(&env, &["run", "greet", "--approve", "always"]);
    done(&env, &["export", "all.tar.gz"]);
    let bytes = fs::read(env.project().join("all.tar.gz")).unwrap();
    (env, bytes)
}

/// What another machine makes of a bundle, which has no network and none of the sources.
#[track_caller]
fn imported(env: &Env, bytes: &[u8], script: &str, expected: &Expect) {
    fs::write(env.project().join("all.tar.gz"), bytes).unwrap();
    expected.assert_eq(&trimmed(&masked(&session(env, script))));
    assert_nothing_is_left(env);
}

#[test]
fn a_bundle_is_installed_elsewhere_and_its_approvals_are_proposed() {
    let (here, bytes) = bundled();
    let shown = session(&here, "guild export all.tar.gz\nguild export mine.tar.gz --user --no-receipts");
    expect![[r#"
        $ guild export all.tar.gz
        [stderr]
        error[already_exists]: [ROOT]/project/all.tar.gz is there already; `--replace` writes over it, and `--merge` adds to a lock
        [exit 1]
        $ guild export mine.tar.gz --user --no-receipts
        left out greet: it is a link to a directory of this machine
        [stderr]
        0 exported, 1 skill left out, with 0 approvals and 0 receipts
    "#]]
    .assert_eq(&shown);
    imported(
        &world(),
        &bytes,
        "
        guild import all.tar.gz
        guild import all.tar.gz
        guild verify
        guild list --installed
        guild grants list
        guild requests
        guild sync --frozen
        guild receipts verify
        ",
        &expect![[r#"
            $ guild import all.tar.gz
            installed skill greet (./own/greet)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            proposed greet [APR 1]
            [stderr]
            3 installed; plugin `acme` is off until you have looked at it: `guild enable acme`; 7 receipts of [INS 1] verified; 1 approval of theirs for you to decide: `guild requests`
            $ guild import all.tar.gz
            unchanged skill greet (./own/greet)
            unchanged skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            unchanged plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            proposed greet [APR 1]
            [stderr]
            3 as it was; 7 receipts of [INS 1] verified; 1 approval of theirs for you to decide: `guild requests`
            $ guild verify
            [stderr]
            3 verified
            $ guild list --installed
            NAME   KIND    WHERE    STATE       VERSION       SOURCE                          PREVIEW
            greet  skill   project  intact      -             ./own/greet                     Greet everybody who is in the room, one after the other.
            pdf    skill   project  intact      cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, page by page.
            acme   plugin  project  intact,off  cacdd2bb6a9f  https://github.com/acme/skills
            [stderr]
            3 installed
            $ guild grants list
            [stderr]
            0 grants
            $ guild requests
            ID                              ACTION  AGENT    SKILL  EXPIRES
            [APR 1]  run     default  greet  [TIME]
            [stderr]
            1 request
            $ guild sync --frozen
            [stderr]
            0 restored, 3 as locked
            $ guild receipts verify
            [stderr]
            5 receipts verified
        "#]],
    );
}

#[test]
fn the_approvals_of_a_trusted_installation_count() {
    let (here, bytes) = bundled();
    let key = envelope(&here.guild(&["receipts", "verify", "--json"]).stdout())["data"]["public_key"]
        .as_str()
        .unwrap()
        .to_owned();
    let there = world();
    there.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[trust]\ninstallations = [\"{key}\"]\n"
    ));
    imported(
        &there,
        &bytes,
        "
        guild import all.tar.gz
        guild import all.tar.gz
        guild grants list
        guild run greet
        guild receipts verify
        ",
        &expect![[r#"
            $ guild import all.tar.gz
            installed skill greet (./own/greet)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            always_allow greet [GRT 1]
            [stderr]
            3 installed; plugin `acme` is off until you have looked at it: `guild enable acme`; 7 receipts of [INS 1] verified; 1 approval taken on
            $ guild import all.tar.gz
            unchanged skill greet (./own/greet)
            unchanged skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            unchanged plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 as it was; 7 receipts of [INS 1] verified
            $ guild grants list
            ID                              MODE          AGENT    SKILL  EXPIRES  WORKSPACE
            [GRT 1]  always_allow  default  greet  -        [ROOT]/project
            [stderr]
            1 grant
            $ guild run greet
            hello
            $ guild receipts verify
            [stderr]
            6 receipts verified
        "#]],
    );
    // Where flags are no word of a person's, they are none here either.
    let careful = world();
    careful.write(&format!("//- /home/.config/guild/config.toml\nbuiltins = false\n[trust]\ninstallations = [\"{key}\"]\n[approvals]\nflag = false\n"));
    imported(
        &careful,
        &bytes,
        "guild import all.tar.gz\nguild grants list",
        &expect![[r#"
            $ guild import all.tar.gz
            installed skill greet (./own/greet)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            proposed greet [APR 1]
            [stderr]
            3 installed; plugin `acme` is off until you have looked at it: `guild enable acme`; 7 receipts of [INS 1] verified; 1 approval of theirs for you to decide: `guild requests`
            $ guild grants list
            [stderr]
            0 grants
        "#]],
    );
}

/// Packs a bundle anew, with one part made something else.
fn with_part(bytes: &[u8], part: &str, edit: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let fixture = Fixture::write("//- /top/\n");
    let (file, top) = (fixture.join("bundle"), fixture.join("top"));
    fs::write(&file, bytes).unwrap();
    unpack(&file, &top).unwrap();
    let mut packer = Packer::new(Vec::new());
    let mut found = 0;
    for path in files(&top) {
        let name = path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
        let mut content = fs::read(&path).unwrap();
        if name.starts_with(part) && found == 0 {
            found += 1;
            content = edit(content);
        }
        packer.add(&name, &content).unwrap();
    }
    assert_eq!(found, 1, "{part}");
    packer.finish().unwrap()
}

fn files(top: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(top).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() { found.extend(files(&entry.path())) } else { found.push(entry.path()) }
    }
    found.sort();
    found
}

#[test]
fn one_changed_byte_anywhere_in_a_bundle_refuses_all_of_it() {
    let (_here, bytes) = bundled();
    let there = world();
    let flip = |mut content: Vec<u8>| {
        let middle = content.len() / 2;
        content[middle] ^= 1;
        content
    };
    let mut shown = String::new();
    for part in ["bundle.json", "signature", "guild.lock", "grants.json", "receipts.jsonl", "blobs/"] {
        fs::write(there.project().join("all.tar.gz"), with_part(&bytes, part, flip)).unwrap();
        let output = there.guild(&["import", "all.tar.gz", "--json"]);
        assert_ne!(output.code(), Some(0), "{part}: {output}");
        shown.push_str(&format!("{part}: {}\n", envelope(&output.stdout())["code"].as_str().unwrap()));
    }
    expect![[r#"
        bundle.json: bundle_invalid
        signature: bundle_invalid
        guild.lock: bundle_invalid
        grants.json: bundle_invalid
        receipts.jsonl: bundle_invalid
        blobs/: bundle_invalid
    "#]]
    .assert_eq(&shown);
    assert!(!there.project().join("guild.lock").exists() && !there.project().join(".guild").exists());
    assert_nothing_is_left(&there);
    imported(
        &there,
        &bytes[..bytes.len() / 2],
        "guild import all.tar.gz",
        &expect![[r#"
        $ guild import all.tar.gz
        [stderr]
        error[archive_invalid]: it is broken: `receipts.jsonl`: incomplete deflate stream; nothing of it was kept
        [exit 1]
    "#]],
    );
}

#[test]
fn what_a_lock_that_is_there_says_of_others_stays_where_that_is_asked_for() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--skill", "pdf"]);
    env.write("//- /project/skills-lock.json\n{\"version\": 1, \"skills\": {\"theirs\": {\"source\": \"x/y\", \"sourceType\": \"github\", \"computedHash\": \"\"},\n\"pdf\": {\"source\": \"old/skills\", \"ref\": \"v0\", \"pluginName\": \"office\"}}}\n//- /project/torn.json\n<<<<<<< HEAD\n{}\n=======\n");
    check(
        &env,
        "
        guild export skills-lock.json --format skills-lock
        guild export skills-lock.json --format skills-lock --merge
        guild export torn.json --format skills-lock --merge
        guild export fresh.json --format skills-lock --merge
        guild export all.guild.tar.gz --merge
        guild import torn.json
        ",
        &expect![[r#"
            $ guild export skills-lock.json --format skills-lock
            [stderr]
            error[already_exists]: [ROOT]/project/skills-lock.json is there already; `--replace` writes over it, and `--merge` adds to a lock
            [exit 1]
            $ guild export skills-lock.json --format skills-lock --merge
            exported skill pdf
            [stderr]
            1 exported
            $ guild export torn.json --format skills-lock --merge
            [stderr]
            error[lock_invalid]: [ROOT]/project/torn.json cannot be merged with: it is no lock of skills: expected value at line 1 column 1
            [exit 1]
            $ guild export fresh.json --format skills-lock --merge
            exported skill pdf
            [stderr]
            1 exported
            $ guild export all.guild.tar.gz --merge
            [stderr]
            error[lock_invalid]: a bundle is signed as a whole; only a lock is merged with
            [exit 1]
            $ guild import torn.json
            [stderr]
            error[lock_invalid]: a merge of [ROOT]/project/torn.json was not finished; keep what is to be installed
            [exit 1]
        "#]],
    );
    expect![[r#"
        {
          "version": 1,
          "skills": {
            "pdf": {
              "source": "acme/skills",
              "pluginName": "office",
              "sourceType": "github",
              "computedHash": "113b87fd436d968db8c082155a013f70da9430f8a36cac95992a7abecf410e30"
            },
            "theirs": {
              "source": "x/y",
              "sourceType": "github",
              "computedHash": ""
            }
          }
        }
    "#]]
    .assert_eq(&fs::read_to_string(env.join("project/skills-lock.json")).unwrap());
}
