//! A private repository over smart HTTP, from the first install to a rollback, as a team lives with it.

use super::{assert_nothing_is_left, trimmed, world};
use crate::{env, envelope};
use expect_test::expect;
use guild_testkit::{Env, GitServer, Repository, session};
use std::fs;

const FIRST: &str = "
//- /review/SKILL.md
---
name: review
description: Reviews a change as our team does it
---

Look at every file that was changed, and say what you think.
Be kind.
//- /review/checklist.md
- Is it tested?
";

const SECOND: &str = "
//- /review/SKILL.md
---
name: review
description: Reviews a change as our team does it
capabilities: {network: host, env: [TRACKER_TOKEN]}
---

Look at every file that was changed, and say what you think.
Look up the issue that it is about.
Be kind.
";

/// What a session shows, without the port that the system chose.
fn shown(env: &Env, server: &GitServer, script: &str) -> String {
    trimmed(&session(env, &script.replace("HOST", server.host())).replace(server.host(), "HOST"))
}

#[test]
fn a_private_repository_from_the_first_install_to_a_rollback() {
    let env = world();
    let mut repository = Repository::new();
    repository.commit(FIRST);
    repository.publish(&env.join("srv"), "team.git");
    let server = GitServer::start(&env.join("srv"));
    // Nobody who is not let in gets anything, and nobody is asked for a password without a terminal.
    expect![[r#"
        $ guild add http://HOST/team.git#main
        [stderr]
        error[source_denied]: http://HOST/team.git is not there, or not for you: could not read Username for 'http://HOST': terminal prompts disabled; check the name, and that `git ls-remote` of it works for you: Guildhall uses your own git credentials
        [exit 1]
    "#]].assert_eq(&shown(&env, &server, "guild add http://HOST/team.git#main"));
    let settings = fs::read_to_string(env.home().join(".gitconfig")).unwrap();
    let helper = "[credential]\n\thelper = \"!f() { echo username=ada; echo password=lovelace; }; f\"\n";
    fs::write(env.home().join(".gitconfig"), format!("{settings}{helper}")).unwrap();
    expect![[r#"
        $ guild add http://HOST/team.git#main
        installed skill review (http://HOST/team.git at 6cc9fd8102cb)
        [stderr]
        1 installed
        $ guild list --installed
        NAME    KIND   WHERE    STATE   VERSION            SOURCE                           PREVIEW
        review  skill  project  intact  main 6cc9fd8102cb  http://HOST/team.git  Look at every file that was changed, and say what you think. Be kind.
        [stderr]
        1 installed
        $ guild outdated
        [stderr]
        everything is up to date
    "#]].assert_eq(&shown(
        &env,
        &server,
        "
        guild add http://HOST/team.git#main
        guild list --installed
        guild outdated
        ",
    ));
    // The branch moves on, and somebody has edited what they have.
    repository.commit(SECOND);
    repository.publish(&env.join("srv"), "team.git");
    let edited = env.project().join(".guild/skills/review/checklist.md");
    fs::write(&edited, "- Is it tested?\n- Is it documented?\n").unwrap();
    expect![[r#"
        $ guild outdated
        NAME    STATE     REF   INSTALLED     LATEST        SOURCE
        review  outdated  main  6cc9fd8102cb  38714cc73c66  http://HOST/team.git
        [stderr]
        1 can be updated; `guild update` shows how, and asks
        $ guild verify
        changed review/checklist.md
        @@ -1 +1 @@
         - Is it tested?
        +- Is it documented?
        [stderr]
        error[verify_failed]: 1 file changed; `guild sync --replace` restores what the lock says
        [exit 1]
        $ guild update
        update skill review 6cc9fd8102cb → 38714cc73c66 (your edits: undecided)
        more network: none → host
        more env: none → TRACKER_TOKEN
        changed SKILL.md
        @@ -1 +1 @@
         ---
         name: review
         description: Reviews a change as our team does it
        +capabilities: {network: host, env: [TRACKER_TOKEN]}
         ---

         Look at every file that was changed, and say what you think.
        +Look up the issue that it is about.
         Be kind.
        warn: review
          SKILL.md:1: warn.contract.unused_network: The contract declares the network, and no script uses it.
            | network: host
            hint: take `capabilities.network` out
          SKILL.md:1: warn.contract.unused_env: The contract declares an environment variable that no script reads.
            | TRACKER_TOKEN
            hint: take it out of `capabilities.env`
        [stderr]
        error[locally_edited]: skill `review` has edits of yours (see `guild verify review`): say `--keep`, `--replace` or `--merge`
        [exit 3]
        $ guild update --merge
        update skill review 6cc9fd8102cb → 38714cc73c66 (your edits: merged)
        more network: none → host
        more env: none → TRACKER_TOKEN
        changed SKILL.md
        @@ -1 +1 @@
         ---
         name: review
         description: Reviews a change as our team does it
        +capabilities: {network: host, env: [TRACKER_TOKEN]}
         ---

         Look at every file that was changed, and say what you think.
        +Look up the issue that it is about.
         Be kind.
        warn: review
          SKILL.md:1: warn.contract.unused_network: The contract declares the network, and no script uses it.
            | network: host
            hint: take `capabilities.network` out
          SKILL.md:1: warn.contract.unused_env: The contract declares an environment variable that no script reads.
            | TRACKER_TOKEN
            hint: take it out of `capabilities.env`
        [stderr]
        error[not_confirmed]: nothing was changed: look at what would be, and say `--yes`
        [exit 3]
        $ guild update --merge --yes
        updated skill review (http://HOST/team.git at 38714cc73c66)
        [stderr]
        update skill review 6cc9fd8102cb → 38714cc73c66 (your edits: merged)
        more network: none → host
        more env: none → TRACKER_TOKEN
        changed SKILL.md
        @@ -1 +1 @@
         ---
         name: review
         description: Reviews a change as our team does it
        +capabilities: {network: host, env: [TRACKER_TOKEN]}
         ---

         Look at every file that was changed, and say what you think.
        +Look up the issue that it is about.
         Be kind.
        warn: review
          SKILL.md:1: warn.contract.unused_network: The contract declares the network, and no script uses it.
            | network: host
            hint: take `capabilities.network` out
          SKILL.md:1: warn.contract.unused_env: The contract declares an environment variable that no script reads.
            | TRACKER_TOKEN
            hint: take it out of `capabilities.env`
        1 updated; `guild rollback NAME` goes back
        $ guild verify
        changed review/checklist.md
        @@ -1 +1 @@
         - Is it tested?
        +- Is it documented?
        [stderr]
        error[verify_failed]: 1 file changed; `guild sync --replace` restores what the lock says
        [exit 1]
        $ guild rollback review
        [stderr]
        error[locally_edited]: skill `review` has edits of yours, which would be lost: see `guild verify review`; `--force` goes on without them
        [exit 3]
        $ guild rollback review --force
        updated skill review (http://HOST/team.git at 6cc9fd8102cb)
        [stderr]
        `review` is what it was; `guild pin review` keeps updates from it
        $ guild verify
        [stderr]
        1 verified
    "#]].assert_eq(&shown(
        &env,
        &server,
        "
        guild outdated
        guild verify
        guild update
        guild update --merge
        guild update --merge --yes
        guild verify
        guild rollback review
        guild rollback review --force
        guild verify
        ",
    ));
    let lock = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    assert!(!lock.contains("lovelace"), "a password in the lock");
    assert_nothing_is_left(&env);
}

#[test]
fn another_machine_gets_the_very_same_from_the_lock() {
    let one = world();
    let mut repository = Repository::new();
    repository.commit(FIRST);
    repository.publish(&one.join("srv"), "team.git");
    let server = GitServer::start(&one.join("srv"));
    let helper = "[credential]\n\thelper = \"!f() { echo username=ada; echo password=lovelace; }; f\"\n";
    fs::write(one.home().join(".gitconfig"), helper).unwrap();
    let source = format!("http://{}/team.git", server.host());
    assert_eq!(one.guild(&["add", &source]).code(), Some(0));
    // The branch has moved on by the time the other one comes.
    repository.commit(SECOND);
    repository.publish(&one.join("srv"), "team.git");
    let two = env(&format!("//- /project/.git/\n//- /bin/git mode:755\n{}", guild_testkit::git_script()));
    fs::write(two.home().join(".gitconfig"), helper).unwrap();
    fs::copy(one.project().join("guild.lock"), two.project().join("guild.lock")).unwrap();
    let synced = two.guild(&["sync", "--frozen", "--json"]);
    assert_eq!(envelope(&synced.stdout())["status"], "ok", "{synced}");
    let file = ".guild/skills/review/SKILL.md";
    assert_eq!(fs::read(one.project().join(file)).unwrap(), fs::read(two.project().join(file)).unwrap());
}
