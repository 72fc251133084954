//! Skills that an MCP server offers: another hall serves them, and this one takes them, byte by byte.

use super::{check, tree, world};
use crate::env;
use crate::serve::{Served, token};
use expect_test::expect;
use guild_testkit::Env;
use std::fs;

const OFFERED: &str = "
//- /home/.config/guild/config.toml
builtins = false
//- /project/.git/
//- /project/.guild/skills/greet/SKILL.md
---
name: greet
description: Greets somebody by name
metadata: {version: '1.10', tags: [a, 1, true]}
---

Greet them in their own language.
//- /project/.guild/skills/greet/references/a b.md
Be kind.
//- /project/.guild/skills/part/SKILL.md
---
name: part
description: Says goodbye
---

Say goodbye in their own language.
";

/// A hall that offers skills, and a world that has it among its servers.
fn halls() -> (Env, Served, Env) {
    let other = env(OFFERED);
    fs::write(other.join("project/.guild/skills/greet/logo.bin"), [0, 159, 146, 150]).unwrap();
    let served = Served::start(&other, &[]);
    let (_, secret) = token(&other, "reader");
    let env = world();
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[mcp.servers.hall]\nurl = \"http://{}/mcp\"\n\
         headers = {{Authorization = \"Bearer ${{HALL_TOKEN}}\"}}\n",
        served.address
    ));
    let set = env.invocation(&["secret", "set", "HALL_TOKEN"]).stdin(secret).output();
    assert_eq!(set.code(), Some(0), "{set}");
    (other, served, env)
}

#[test]
fn skills_of_a_server_are_listed_taken_and_updated() {
    let (other, _served, env) = halls();
    check(
        &env,
        "
        guild add mcp:hall --list
        guild add mcp:hall
        guild add mcp:hall/gret
        guild add mcp:hall/greet
        guild verify
        guild outdated
        guild list --installed
        ",
        &expect![[r#"
            $ guild add mcp:hall --list
            NAME   KIND   PATH   DESCRIPTION
            greet  skill  greet  Greets somebody by name
            part   skill  part   Says goodbye
            [stderr]
            2 skills
            $ guild add mcp:hall
            NAME   KIND   PATH   DESCRIPTION
            greet  skill  greet  Greets somebody by name
            part   skill  part   Says goodbye
            [stderr]
            error[choice_required]: it offers 2 skills: choose with `--skill NAME,NAME`, or take `--all`; `--list` shows them
            [exit 2]
            $ guild add mcp:hall/gret
            [stderr]
            error[skill_not_found]: server `hall` offers no `gret`; did you mean `greet`?
            [exit 1]
            $ guild add mcp:hall/greet
            installed skill greet (mcp:hall)
            [stderr]
            1 installed
            $ guild verify
            [stderr]
            1 verified
            $ guild outdated
            [stderr]
            everything is up to date
            $ guild list --installed
            NAME   KIND   WHERE    STATE   VERSION  SOURCE    PREVIEW
            greet  skill  project  intact  -        mcp:hall  Greet them in their own language.
            [stderr]
            1 installed
        "#]],
    );
    expect![[r#"
        skills/greet/SKILL.md
        skills/greet/logo.bin
        skills/greet/references/a b.md"#]]
    .assert_eq(&tree(&env, "project/.guild"));
    let taken = |path: &str| fs::read(env.join("project/.guild/skills/greet").join(path)).unwrap();
    assert_eq!(taken("logo.bin"), [0, 159, 146, 150]);
    let lock = fs::read_to_string(env.join("project/guild.lock")).unwrap();
    assert!(lock.contains("source = \"mcp:hall\"\nsource_type = \"mcp\"\npath = \"greet\"\n"), "{lock}");
    let text = fs::read_to_string(other.join("project/.guild/skills/greet/SKILL.md")).unwrap();
    let changed = text.replace("own language", "own words");
    fs::write(other.join("project/.guild/skills/greet/SKILL.md"), changed).unwrap();
    check(
        &env,
        "
        guild outdated
        guild update --yes
        guild verify
        ",
        &expect![[r#"
            $ guild outdated
            NAME   STATE     REF  INSTALLED     LATEST        SOURCE
            greet  outdated  -    88f7fd8a9146  f8e6719747db  mcp:hall
            [stderr]
            1 can be updated; `guild update` shows how, and asks
            $ guild update --yes
            updated skill greet (mcp:hall)
            [stderr]
            update skill greet - → -
            changed SKILL.md
            @@ -4 +4 @@
             metadata: {version: '1.10', tags: [a, 1, true]}
             ---

            -Greet them in their own language.
            +Greet them in their own words.
            1 updated; `guild rollback NAME` goes back
            $ guild verify
            [stderr]
            1 verified
        "#]],
    );
    assert!(String::from_utf8(taken("SKILL.md")).unwrap().contains("own words"));
}

#[test]
fn what_is_no_server_or_offers_nothing_is_said() {
    let (_other, _served, env) = halls();
    check(
        &env,
        "
        guild add mcp:elsewhere
        guild add mcp:../x
        guild add mcp:hall --ref main
        guild add mcp:hall/greet --link
        ",
        &expect![[r#"
            $ guild add mcp:elsewhere
            [stderr]
            error[provider_unavailable]: no MCP server `elsewhere` is on (`mcp.servers.elsewhere` in your configuration); `guild check` says what is wrong with an entry
            [exit 1]
            $ guild add mcp:../x
            [stderr]
            error[source_invalid]: `mcp:../x` is no source: behind `mcp:` stands one of your MCP servers, such as tracker or tracker/triage
            [exit 2]
            $ guild add mcp:hall --ref main
            [stderr]
            error[source_invalid]: skills of a server have no refs; `--ref` is for repositories
            [exit 2]
            $ guild add mcp:hall/greet --link
            [stderr]
            error[source_invalid]: only a directory of this machine can be linked to; leave out `--link`
            [exit 2]
        "#]],
    );
}
