//! Archives and skills' files from an address, over a network that fails as networks do.

use super::{assert_nothing_is_left, tree, trimmed, world};
use crate::hostile::{append, archive};
use expect_test::expect;
use guild_engine::manifest::Digest;
use guild_testkit::{Env, WebServer, session};
use std::fs;
use tar::EntryType;

fn shown(env: &Env, server: &WebServer, script: &str) -> String {
    trimmed(&session(env, &script.replace("HOST", server.host())).replace(server.host(), "HOST"))
}

/// A world with a web server that has an archive and a skill's file.
fn served() -> (Env, WebServer) {
    let env = world();
    env.write("//- /www/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down all of it, in the order in which it was said.\n");
    let bytes = archive(|builder| append(builder, b"x/run.sh", EntryType::Regular, 0o755, b"echo\n"));
    fs::write(env.join("www/x.tar"), bytes).unwrap();
    fs::write(env.join("www/login.zip"), "<html>Log in</html>").unwrap();
    let server = WebServer::start(&env.join("www"));
    (env, server)
}

#[test]
fn an_archive_and_a_skills_file_at_an_address() {
    let (env, server) = served();
    let digest = Digest::of(&fs::read(env.join("www/x.tar")).unwrap());
    let script = "
        guild add http://HOST/x.tar#DIGEST
        guild add http://HOST/notes/SKILL.md
        guild list --installed
        guild outdated
        guild add http://HOST/x.tar#sha256:0000000000000000000000000000000000000000000000000000000000000000
        guild add http://HOST/nothing.zip
        guild add http://HOST/login.zip
        guild add http://HOST/x.tar --ref main
        ";
    let text = shown(&env, &server, &script.replace("DIGEST", &digest.to_string()));
    expect![[r#"
        $ guild add http://HOST/x.tar#sha256:01c499d66395224f4077f8416a0efa2fdd4bfa4aa856436ef7339eecaafbfe8a
        installed skill x (http://HOST/x.tar at 01c499d66395)
        [stderr]
        1 installed
        $ guild add http://HOST/notes/SKILL.md
        installed skill notes (http://HOST/notes/SKILL.md at f756f927f670)
        [stderr]
        1 installed
        $ guild list --installed
        NAME   KIND   WHERE    STATE   VERSION       SOURCE                                 PREVIEW
        notes  skill  project  intact  f756f927f670  http://HOST/notes/SKILL.md  Write down all of it, in the order in which it was said.
        x      skill  project  intact  01c499d66395  http://HOST/x.tar           Do what has to be done here, and say what you have done.
        [stderr]
        2 installed
        $ guild outdated
        [stderr]
        everything is up to date
        $ guild add http://HOST/x.tar#sha256:0000000000000000000000000000000000000000000000000000000000000000
        [stderr]
        error[source_changed]: http://HOST/x.tar is sha256:01c499d66395224f4077f8416a0efa2fdd4bfa4aa856436ef7339eecaafbfe8a, which is not what was asked for; nothing of it was kept
        [exit 1]
        $ guild add http://HOST/nothing.zip
        [stderr]
        error[source_denied]: http://HOST/nothing.zip is not there, or not for you: 404
        [exit 1]
        $ guild add http://HOST/login.zip
        [stderr]
        error[archive_invalid]: what came from http://HOST/login.zip is no zip or tar archive; open it in a browser: it may be a page to log in at
        [exit 1]
        $ guild add http://HOST/x.tar --ref main
        [stderr]
        error[source_invalid]: a file at an address has no refs; `--ref` is for repositories
        [exit 2]
    "#]].assert_eq(&text);
    expect![[r#"
        skills/notes/SKILL.md
        skills/x/SKILL.md
        skills/x/run.sh*"#]]
    .assert_eq(&tree(&env, "project/.guild"));
    // It moves on, and is updated; another machine gets what was locked, or nothing.
    env.write("//- /www/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down some of it, in the order in which it was said.\n");
    expect![[r#"
        $ guild outdated
        NAME   STATE     REF  INSTALLED     LATEST        SOURCE
        notes  outdated  -    f756f927f670  78abcf455723  http://HOST/notes/SKILL.md
        [stderr]
        1 can be updated; `guild update` shows how, and asks
        $ guild update --yes
        updated skill notes (http://HOST/notes/SKILL.md at 78abcf455723)
        [stderr]
        update skill notes f756f927f670 → 78abcf455723
        changed SKILL.md
        @@ -3 +3 @@
         description: Keeps notes
         ---

        -Write down all of it, in the order in which it was said.
        +Write down some of it, in the order in which it was said.
        1 updated; `guild rollback NAME` goes back
        $ guild verify
        [stderr]
        2 verified
    "#]]
    .assert_eq(&shown(&env, &server, "guild outdated\nguild update --yes\nguild verify"));
    env.write("//- /www/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down none of it, in the order in which it was said.\n");
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.home().join(".local")).unwrap();
    expect![[r#"
        $ guild sync
        [stderr]
        error[source_changed]: skill `notes` from http://HOST/notes/SKILL.md is not what the lock says; nothing was installed
        [exit 1]
    "#]].assert_eq(&shown(&env, &server, "guild sync"));
    assert_nothing_is_left(&env);
}

#[test]
fn a_server_that_fails_is_asked_again_and_goes_on_where_it_stopped() {
    let (env, server) = served();
    let script = "
        guild add http://HOST/flaky/2/x.tar
        guild remove x
        guild add http://HOST/broken/x.tar
        guild add http://HOST/flaky/9/x.tar --replace
        ";
    expect![[r#"
        $ guild add http://HOST/flaky/2/x.tar
        installed skill x (http://HOST/flaky/2/x.tar at 01c499d66395)
        [stderr]
        1 installed
        $ guild remove x
        removed skill x (http://HOST/flaky/2/x.tar at 01c499d66395)
        [stderr]
        1 removed
        $ guild add http://HOST/broken/x.tar
        installed skill x (http://HOST/broken/x.tar at 01c499d66395)
        [stderr]
        1 installed
        $ guild add http://HOST/flaky/9/x.tar --replace
        [stderr]
        error[source_unreachable]: cannot fetch http://HOST/flaky/9/x.tar: the server says 503 Service Unavailable
        [exit 1]
    "#]].assert_eq(&shown(&env, &server, script));
    let half = fs::metadata(env.join("www/x.tar")).unwrap().len() / 2;
    let asked = server.asked();
    assert_eq!(asked.iter().filter(|path| *path == "/flaky/2/x.tar").count(), 3);
    assert!(asked.contains(&format!("/broken/x.tar from {half}")), "{asked:?}");
    assert_eq!(asked.iter().filter(|path| *path == "/flaky/9/x.tar").count(), 4);
}

#[test]
fn nobody_is_sent_to_an_address_that_is_not_fetched() {
    let (env, server) = served();
    let script = "
        guild add http://HOST/to/http/HOST/x.tar
        guild add http://HOST/to/http/git.example/x.tar
        guild add http://HOST/to/file/etc/x.tar
        ";
    expect![[r#"
        $ guild add http://HOST/to/http/HOST/x.tar
        installed skill x (http://HOST/to/http/HOST/x.tar at 01c499d66395)
        [stderr]
        1 installed
        $ guild add http://HOST/to/http/git.example/x.tar
        [stderr]
        error[source_unreachable]: cannot fetch http://HOST/to/http/git.example/x.tar: it sends us to an address that is not fetched
        [exit 1]
        $ guild add http://HOST/to/file/etc/x.tar
        [stderr]
        error[source_unreachable]: cannot fetch http://HOST/to/file/etc/x.tar: it sends us to an address that is not fetched
        [exit 1]
    "#]].assert_eq(&shown(&env, &server, script));
}

/// An index of today's form, with one skill that is a file and one that is an archive.
fn current_index(env: &Env) -> String {
    let digest = |path: &str| Digest::of(&fs::read(env.join("www").join(path)).unwrap());
    format!(
        r#"{{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [
        {{"name": "notes", "type": "skill-md", "description": "Notes", "url": "/notes/SKILL.md", "digest": "{}"}},
        {{"name": "x", "type": "archive", "description": "X", "url": "../../x.tar", "digest": "{}"}},
        {{"name": "later", "type": "hologram", "description": "Nobody knows", "url": "/later", "digest": "{}"}}]}}"#,
        digest("notes/SKILL.md"),
        digest("x.tar"),
        digest("x.tar")
    )
}

#[test]
fn a_site_that_publishes_an_index_of_its_skills() {
    let (env, server) = served();
    env.write(&format!("//- /www/.well-known/agent-skills/index.json\n{}\n", current_index(&env)));
    let script = "
        guild add http://HOST --list
        guild add http://HOST --skill notes
        guild add http://HOST/docs --skill x
        guild outdated
        guild sync --frozen
        ";
    expect![[r#"
        $ guild add http://HOST --list
        NAME   KIND   PATH   DESCRIPTION
        notes  skill  notes  Keeps notes
        x      skill  x/x    Does it
        [stderr]
        2 skills, 0 plugins
        $ guild add http://HOST --skill notes
        installed skill notes (http://HOST/)
        [stderr]
        1 installed
        $ guild add http://HOST/docs --skill x
        installed skill x (http://HOST/docs)
        [stderr]
        1 installed
        $ guild outdated
        [stderr]
        everything is up to date
        $ guild sync --frozen
        [stderr]
        0 restored, 2 as locked
    "#]]
    .assert_eq(&shown(&env, &server, script));
    expect![[r#"
        skills/notes/SKILL.md
        skills/x/SKILL.md
        skills/x/run.sh*"#]]
    .assert_eq(&tree(&env, "project/.guild"));
    // What is there instead of what the index says is not installed.
    env.write("//- /www/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down something else than what was published here.\n");
    expect![[r#"
        $ guild update notes --yes
        [stderr]
        error[source_changed]: http://HOST/notes/SKILL.md is sha256:1c908e051220e0ee914564a0d3c0ec1246602541897437569ab4a4edcf2b7e1c, which is not what the index says; nothing of it was kept
        [exit 1]
    "#]].assert_eq(&shown(&env, &server, "guild update notes --yes"));
    env.write(&format!("//- /www/.well-known/agent-skills/index.json\n{}\n", current_index(&env)));
    expect![[r#"
        $ guild outdated
        NAME   STATE     REF  INSTALLED     LATEST        SOURCE
        notes  outdated  -    0de5a9f2f5f0  2d731d11092f  http://HOST/
        [stderr]
        1 can be updated; `guild update` shows how, and asks
        $ guild update notes --yes
        updated skill notes (http://HOST/)
        [stderr]
        update skill notes - → -
        changed SKILL.md
        @@ -3 +3 @@
         description: Keeps notes
         ---

        -Write down all of it, in the order in which it was said.
        +Write down something else than what was published here.
        1 updated; `guild rollback NAME` goes back
        $ guild verify
        [stderr]
        2 verified
    "#]]
    .assert_eq(&shown(&env, &server, "guild outdated\nguild update notes --yes\nguild verify"));
    assert_nothing_is_left(&env);
}

#[test]
fn a_site_with_an_index_of_the_earlier_form() {
    let (env, server) = served();
    env.write("//- /www/.well-known/skills/index.json\n{\"skills\": [{\"name\": \"notes\", \"description\": \"d\", \"files\": [\"SKILL.md\", \"more/a.md\"]}]}\n//- /www/.well-known/skills/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down all of it, in the order in which it was said.\n//- /www/.well-known/skills/notes/more/a.md\nMore.\n");
    expect![[r#"
        $ guild add http://HOST
        installed skill notes (http://HOST/)
        [stderr]
        1 installed
        $ guild outdated
        [stderr]
        everything is up to date
    "#]]
    .assert_eq(&shown(&env, &server, "guild add http://HOST\nguild outdated"));
    expect![[r#"
        skills/notes/SKILL.md
        skills/notes/more/a.md"#]]
    .assert_eq(&tree(&env, "project/.guild"));
    env.write("//- /www/.well-known/skills/index.json\n{\"skills\": [{\"name\": \"../x\", \"files\": [\"SKILL.md\"]}]}\n");
    expect![[r#"
        $ guild add http://HOST
        [stderr]
        error[source_invalid]: http://HOST/.well-known/skills/index.json cannot be read: `../x` in it cannot be the name of a directory
        [exit 2]
    "#]].assert_eq(&shown(&env, &server, "guild add http://HOST"));
}

#[test]
fn an_address_that_is_neither_a_site_nor_a_repository_leads_to_a_skills_file_or_an_archive() {
    let (env, server) = served();
    // Many a site answers with a page of its own, whatever is asked for.
    env.write("//- /www/.well-known/agent-skills/index.json\n<!doctype html><title>Log in</title>\n//- /www/api/.well-known/skills/index.json\n{\"error\": \"no such thing\"}\n");
    env.write("//- /www/raw/skills/plan/SKILL.md\n---\nname: plan\ndescription: Plans\n---\n\nPlan what is to be done, one step behind the other.\n//- /www/page/SKILL.md\n<!doctype html>\n");
    fs::copy(env.join("www/x.tar"), env.join("www/download")).unwrap();
    let script = "
        guild add http://HOST/notes
        guild add http://HOST/raw/plan/
        guild add http://HOST/download
        guild add http://HOST/page
        guild add http://HOST/api
        guild outdated
        ";
    expect![[r#"
        $ guild add http://HOST/notes
        installed skill notes (http://HOST/notes/SKILL.md at f756f927f670)
        [stderr]
        1 installed
        $ guild add http://HOST/raw/plan/
        installed skill plan (http://HOST/raw/skills/plan/SKILL.md at 01a0b8f85115)
        [stderr]
        1 installed
        $ guild add http://HOST/download
        installed skill x (http://HOST/download at 01c499d66395)
        [stderr]
        1 installed
        $ guild add http://HOST/page
        [stderr]
        error[source_denied]: http://HOST/page is not there, or not for you: repository 'http://HOST/page/' not found; check the name, and that `git ls-remote` of it works for you: Guildhall uses your own git credentials
        [exit 1]
        $ guild add http://HOST/api
        [stderr]
        error[source_denied]: http://HOST/api is not there, or not for you: repository 'http://HOST/api/' not found; check the name, and that `git ls-remote` of it works for you: Guildhall uses your own git credentials
        [exit 1]
        $ guild outdated
        [stderr]
        everything is up to date
    "#]].assert_eq(&shown(&env, &server, script));
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.home().join(".local/share/guild/store")).unwrap();
    expect![[r#"
        $ guild sync
        installed skill notes (http://HOST/notes/SKILL.md at f756f927f670)
        installed skill plan (http://HOST/raw/skills/plan/SKILL.md at 01a0b8f85115)
        installed skill x (http://HOST/download at 01c499d66395)
        [stderr]
        3 restored, 0 as locked
        $ guild verify
        [stderr]
        3 verified
    "#]]
    .assert_eq(&shown(&env, &server, "guild sync\nguild verify"));
    assert_nothing_is_left(&env);
}

#[test]
fn a_part_that_nobody_has_asked_for_is_not_taken_for_the_whole() {
    let (env, server) = served();
    let script = "guild add http://HOST/torn/notes/SKILL.md\nguild verify";
    expect![[r#"
        $ guild add http://HOST/torn/notes/SKILL.md
        installed skill notes (http://HOST/torn/notes/SKILL.md at f756f927f670)
        [stderr]
        1 installed
        $ guild verify
        [stderr]
        1 verified
    "#]]
    .assert_eq(&shown(&env, &server, script));
}
