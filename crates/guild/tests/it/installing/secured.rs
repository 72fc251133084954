//! Over TLS: an authority of one's own counts where the person names it as for every other program, and a stranger's nowhere.

use super::{assert_nothing_is_left, tree, trimmed, world};
use crate::hostile::{append, archive};
use expect_test::expect;
use guild_engine::manifest::Digest;
use guild_testkit::{Env, TlsFront, WebServer, session};
use std::fs;
use tar::EntryType;

/// A world whose web server has a skill in an archive, a plugin in another, and the list of a marketplace that offers the plugin.
fn served(named: &str) -> (Env, TlsFront) {
    let env = world();
    env.write("//- /www/\n");
    let server = WebServer::start(&env.join("www"));
    let front = TlsFront::start(server.host(), named);
    fs::write(env.join("www/x.tar"), archive(|_| ())).unwrap();
    let manifest = br#"{"name": "boxed", "version": "1.0.0", "description": "In an archive"}"#;
    let plugin = archive(|builder| {
        append(builder, b"x/.claude-plugin/plugin.json", EntryType::Regular, 0o644, manifest);
    });
    let digest = Digest::of(&plugin).to_hex();
    fs::write(env.join("www/boxed.tar"), plugin).unwrap();
    let source = format!(
        r#"{{"source": "archive", "url": "https://{}/boxed.tar", "sha256": "{digest}"}}"#,
        front.host()
    );
    env.write(&format!(
        "//- /www/market.json\n{{\"name\": \"boxes\", \"owner\": {{\"name\": \"Acme\"}}, \"plugins\": [{{\"name\": \"boxed\", \"source\": {source}}}]}}\n"
    ));
    (env, front)
}

fn shown(env: &Env, front: &TlsFront, script: &str) -> String {
    trimmed(&session(env, &script.replace("HOST", front.host())).replace(front.host(), "HOST"))
}

const SCRIPT: &str = "
    guild add https://HOST/x.tar
    guild add marketplace:https://HOST/market.json --all
    ";

#[test]
fn an_authority_counts_that_the_person_names() {
    let (env, front) = served("IP:127.0.0.1");
    let env = env.with_var("SSL_CERT_FILE", front.authority());
    expect![[r#"
        $ guild add https://HOST/x.tar
        installed skill x (https://HOST/x.tar at c680e4fb3c2a)
        [stderr]
        1 installed
        $ guild add marketplace:https://HOST/market.json --all
        installed plugin boxed (https://HOST/boxed.tar at 596326dbf191)
        [stderr]
        1 installed; plugin `boxed` is off until you have looked at it: `guild enable boxed`
    "#]]
    .assert_eq(&shown(&env, &front, SCRIPT));
    expect![[r#"
        plugins/boxed/.claude-plugin/plugin.json
        plugins/boxed/SKILL.md
        skills/x/SKILL.md"#]]
    .assert_eq(&tree(&env, "project/.guild"));
}

#[test]
fn an_authority_that_nobody_has_named_is_a_stranger() {
    let (env, front) = served("IP:127.0.0.1");
    expect![[r#"
        $ guild add https://HOST/x.tar
        [stderr]
        error[source_unreachable]: cannot fetch https://HOST/x.tar: client error (Connect): invalid peer certificate: UnknownIssuer; an authority of your own is named by `SSL_CERT_FILE`
        [exit 1]
        $ guild add marketplace:https://HOST/market.json --all
        [stderr]
        error[source_unreachable]: cannot fetch https://HOST/market.json: client error (Connect): invalid peer certificate: UnknownIssuer; an authority of your own is named by `SSL_CERT_FILE`
        [exit 1]
    "#]].assert_eq(&shown(&env, &front, SCRIPT));
    assert_nothing_is_left(&env);
}

#[test]
fn a_certificate_for_somebody_else_is_refused() {
    let (env, front) = served("DNS:skills.example");
    let env = env.with_var("SSL_CERT_FILE", front.authority());
    expect![[r#"
        $ guild add https://HOST/x.tar
        [stderr]
        error[source_unreachable]: cannot fetch https://HOST/x.tar: client error (Connect): invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("skills.example")
        [exit 1]
        $ guild add marketplace:https://HOST/market.json --all
        [stderr]
        error[source_unreachable]: cannot fetch https://HOST/market.json: client error (Connect): invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("skills.example")
        [exit 1]
    "#]].assert_eq(&shown(&env, &front, SCRIPT));
    assert_nothing_is_left(&env);
}
