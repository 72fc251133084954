//! What agents wish to have installed or removed waits for an admin, who is the one that does it.

use super::{trimmed, world_of_skills};
use crate::desk::masked;
use crate::envelope;
use expect_test::expect;
use guild_testkit::{Env, session};

/// The request that a wish has become.
fn wished(env: &Env, arguments: &[&str]) -> String {
    let said = envelope(&env.guild(arguments).stdout());
    assert_eq!(said["code"], "approval_required", "{said}");
    said["data"]["request"].as_str().unwrap().to_owned()
}

#[test]
fn what_an_agent_wishes_waits_for_an_admin() {
    let (env, _repository) = world_of_skills();
    let add = wished(&env, &["add", "acme/skills", "--skill", "pdf", "--agent", "coder", "--json"]);
    assert_eq!(add, wished(&env, &["add", "acme/skills", "--skill", "pdf", "--agent", "coder", "--json"]));
    let script = format!(
        "
        guild list --installed
        guild requests
        guild approve {add} --once --agent coder
        guild approve {add} --once
        guild approve {add} --once
        guild list --installed
        "
    );
    let mut shown = session(&env, &script);
    let remove = wished(&env, &["remove", "pdf", "--agent", "coder", "--json"]);
    shown.push_str(&session(
        &env,
        &format!("guild approve {remove} --once --json\nguild list --installed\nguild receipts verify"),
    ));
    expect![[r#"
        $ guild list --installed
        [stderr]
        0 installed
        $ guild requests
        ID                              ACTION   AGENT  SKILL        EXPIRES
        [APR 1]  install  coder  acme/skills  [TIME]
        [stderr]
        1 request
        $ guild approve [APR 1] --once --agent coder
        [stderr]
        error[person_required]: agent `coder` cannot decide this; it takes a person
        [exit 3]
        $ guild approve [APR 1] --once
        installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
        [stderr]
        approved: install of `acme/skills` for agent `coder`; 1 installed
        $ guild approve [APR 1] --once
        [stderr]
        error[already_decided]: [APR 1] was answered before
        [exit 1]
        $ guild list --installed
        NAME  KIND   WHERE    STATE   VERSION       SOURCE                          PREVIEW
        pdf   skill  project  intact  cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, page by page.
        [stderr]
        1 installed
        $ guild approve [APR 2] --once --json
        {"status":"ok","code":"ok","message":"approved: uninstall of `pdf` for agent `coder`; 1 removed","data":{"id":"[APR 2]","decision":"approved","receipt":"[RCP 1]","grant":null,"request":{"id":"[APR 2]","action":"uninstall","agent":"coder","skill":"pdf","security_hash":null,"workspace":"[ROOT]/project","by":{"kind":"agent","agent":"coder","role":"viewer","via":"command"},"at":"[TIME]","expires":"[TIME]","shown":{"approved":null,"capabilities":[],"changed":[],"command":["guild","remove","pdf"],"findings":[],"parameters":{"names":["pdf"]},"source":""}},"wished":{"action":"uninstall","name":"pdf","request":null,"receipt":null,"done":true,"installed":[{"name":"pdf","kind":"skill","change":"removed","status":null,"path":"[ROOT]/project/.guild/skills/pdf","digest":"[SHA256 1]","resolved":"cacdd2bb6a9fc875325e63177984ebaf7c3a1ec5","source":"https://github.com/acme/skills"}]}}}
        $ guild list --installed
        [stderr]
        0 installed
        $ guild receipts verify
        [stderr]
        8 receipts verified
    "#]].assert_eq(&trimmed(&masked(&shown)));
}

#[test]
fn a_wish_is_denied_shown_at_a_terminal_and_granted_where_it_was_made_wherever_the_person_stands() {
    let (env, _repository) = world_of_skills();
    env.write("//- /elsewhere/.git/\n");
    let denied = wished(&env, &["add", "acme/skills", "--all", "--agent", "coder", "--json"]);
    let missing = wished(&env, &["add", "acme/nothing", "--agent", "coder", "--json"]);
    let elsewhere =
        wished(&env, &["add", "acme/skills", "--skill", "docx", "--ref", "v1", "--agent", "coder", "--json"]);
    let mine =
        wished(&env, &["add", "acme/skills", "--skill", "docx", "--user", "--agent", "coder", "--json"]);
    let script = format!(
        "guild deny {denied}\nguild approve {missing} --once\ncd ../elsewhere\nguild approve {elsewhere} --once\nguild approve {mine} --once\nguild list --installed"
    );
    expect![[r#"
        $ guild deny [APR 1]
        [stderr]
        denied: install of `acme/skills` for agent `coder`
        $ guild approve [APR 2] --once
        [stderr]
        error[source_denied]: approved: install of `acme/nothing` for agent `coder`; https://github.com/acme/nothing is not there, or not for you: '[ROOT]/srv/acme/nothing' does not appear to be a git repository; check the name, and that `git ls-remote` of it works for you: Guildhall uses your own git credentials
        [exit 1]
        $ cd ../elsewhere
        $ guild approve [APR 3] --once
        installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
        [stderr]
        approved: install of `acme/skills` for agent `coder`; 1 installed
        $ guild approve [APR 4] --once
        installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
        [stderr]
        approved: install of `acme/skills` for agent `coder`; 1 installed
        $ guild list --installed
        NAME  KIND   WHERE  STATE   VERSION       SOURCE                          PREVIEW
        docx  skill  user   intact  cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, heading by heading.
        [stderr]
        1 installed
    "#]].assert_eq(&trimmed(&masked(&session(&env, &script))));
    let shown = wished(&env, &["add", "acme/skills@pdf", "--agent", "coder", "--json"]);
    let approve = env.invocation(&["approve", &shown, "--color", "never"]).env("TERM", "dumb");
    expect![[r#"
        exit: 3
        --- stdout
        --- stderr
        action      install
        agent       coder
        skill       acme/skills@pdf
        hash        none
        workspace   [ROOT]/project
        expires     [TIME]
        command     guild add acme/skills@pdf
        Approve? [once/always/deny/later] error[not_confirmed]: nothing was decided; [APR 1] still waits
    "#]]
    .assert_eq(&masked(&approve.typed("later\n").to_string()));
}
