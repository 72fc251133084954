//! Tokens: made, listed and revoked, their secrets shown once.

use crate::desk::{Desk, now};
use crate::envelope;
use expect_test::{Expect, expect};

#[track_caller]
fn check(desk: &Desk, id: &str, script: &str, expected: &Expect) {
    expected.assert_eq(&desk.session(id, script));
}

#[test]
fn a_token_lets_its_holder_in_until_it_is_revoked() {
    let desk = Desk::new("");
    let created = envelope(
        &desk
            .env
            .guild(&["token", "create", "laptop", "--agent", "writer", "--for", "30d", "--json"])
            .stdout(),
    );
    let (id, secret) = (&created["data"]["token"]["id"], created["data"]["secret"].as_str().unwrap());
    let holder =
        |secret: &str| desk.books(async |books| books.ledger.authenticate(now(), secret).await.unwrap());
    assert_eq!(holder(secret).unwrap().holder.agent.as_deref(), Some("writer"));
    let listed = desk.env.guild(&["token", "list", "--json"]).stdout();
    let tail = secret.split_once('.').unwrap().1;
    assert!(!listed.contains(tail), "the secret is shown once");
    check(
        &desk,
        id.as_str().unwrap(),
        "guild token list\nguild token revoke $ID\nguild token revoke $ID\nguild token list\nguild token revoke tok_nothing",
        &expect![[r#"
            $ guild token list
            ID                              KIND   ROLE    AGENT   EXPIRES                   LABEL
            [TOK 1]  agent  viewer  writer  [TIME]  laptop
            [stderr]
            1 token
            $ guild token revoke [TOK 1]
            [stderr]
            [TOK 1] is revoked
            $ guild token revoke [TOK 1]
            [stderr]
            error[already_decided]: [TOK 1] has ended before
            [exit 1]
            $ guild token list
            [stderr]
            0 tokens
            $ guild token revoke tok_nothing
            [stderr]
            error[token_not_found]: there is no token `tok_nothing`; `guild token list` shows those that there are
            [exit 1]
        "#]],
    );
    assert!(holder(secret).is_none());
}

#[test]
fn a_secret_is_all_that_standard_output_has() {
    let desk = Desk::new("");
    let output = desk.env.guild(&["token", "create", "--role", "operator"]);
    let (stdout, stderr) = (output.stdout(), output.stderr());
    assert_eq!(stdout.lines().count(), 1);
    assert!(
        stdout.starts_with("tok_") && !stderr.contains(stdout.split_once('.').unwrap().1.trim()),
        "{output}"
    );
}

#[test]
fn an_agents_token_decides_nothing() {
    check(
        &Desk::new(""),
        "",
        "guild token create --agent writer --role operator\nguild token create --role king\nguild token list",
        &expect![[r#"
            $ guild token create --agent writer --role operator
            [stderr]
            error[role_insufficient]: an agent's token has the role `viewer`: agents look and ask, and people decide
            [exit 3]
            $ guild token create --role king
            [stderr]
            error: invalid value 'king' for '--role <ROLE>'
              [possible values: viewer, operator, admin]

            For more information, try '--help'.
            [exit 2]
            $ guild token list
            [stderr]
            0 tokens
        "#]],
    );
}
