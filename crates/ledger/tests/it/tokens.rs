//! Tokens let programs in, and suppressions keep warnings away: both are people's decisions.

use guild_ledger::{EndError, Holder, PrincipalKind, Role, SuppressError, TokenError, TokenId, Warning};
use guild_manifest::Digest;

use crate::on_both_databases;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    a_token_lets_its_holder_in_until_it_is_revoked
    a_token_ends_when_its_time_is_over
    only_the_whole_secret_lets_anybody_in
    the_secret_is_kept_nowhere
    agents_make_no_tokens
    a_warning_is_suppressed_for_its_content_until_somebody_wants_it_back
    agents_suppress_nothing
}

fn holder() -> Holder {
    let (label, agent) = ("continuous integration".to_owned(), Some("ci".to_owned()));
    Holder { label, kind: PrincipalKind::Agent, role: Role::Viewer, agent, expires: None }
}

async fn a_token_lets_its_holder_in_until_it_is_revoked(site: Site) {
    let ledger = site.open().await;
    let (token, secret) = ledger.create_token(at(0), holder(), person()).await.unwrap();
    assert_eq!(token.holder, holder());
    assert_eq!(ledger.authenticate(at(1), &secret).await.unwrap(), Some(token.clone()));
    assert_eq!(ledger.tokens(at(1)).await.unwrap(), std::slice::from_ref(&token));
    ledger.revoke_token(at(2), token.id, person()).await.unwrap();
    assert_eq!(ledger.authenticate(at(3), &secret).await.unwrap(), None);
    assert_eq!(ledger.tokens(at(3)).await.unwrap(), []);
    let error = ledger.revoke_token(at(3), token.id, person()).await.unwrap_err();
    assert!(matches!(error, EndError::AlreadyEnded { .. }), "{error}");
    let nobody = TokenId::new(at(0)).unwrap();
    let error = ledger.revoke_token(at(3), nobody, person()).await.unwrap_err();
    assert!(matches!(error, EndError::NotFound { .. }), "{error}");
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn a_token_ends_when_its_time_is_over(site: Site) {
    let ledger = site.open().await;
    let holder = Holder { expires: Some(at(10)), ..holder() };
    let (token, secret) = ledger.create_token(at(0), holder, person()).await.unwrap();
    assert_eq!(ledger.authenticate(at(9), &secret).await.unwrap(), Some(token));
    assert_eq!(ledger.authenticate(at(10), &secret).await.unwrap(), None);
    assert_eq!(ledger.tokens(at(10)).await.unwrap(), []);
}

async fn only_the_whole_secret_lets_anybody_in(site: Site) {
    let ledger = site.open().await;
    let (_, secret) = ledger.create_token(at(0), holder(), person()).await.unwrap();
    let (_, other) = ledger.create_token(at(0), holder(), person()).await.unwrap();
    let (id, half) = secret.split_once('.').unwrap();
    let swapped = format!("{id}.{}", other.split_once('.').unwrap().1);
    for wrong in [
        "",
        ".",
        id,
        half,
        &secret[..secret.len() - 1],
        &format!("{secret}0"),
        &secret.to_uppercase(),
        &swapped,
    ] {
        assert_eq!(ledger.authenticate(at(1), wrong).await.unwrap(), None, "{wrong}");
    }
}

async fn the_secret_is_kept_nowhere(site: Site) {
    let ledger = site.open().await;
    let (token, secret) = ledger.create_token(at(0), holder(), person()).await.unwrap();
    let secret = secret.split_once('.').unwrap().1.to_owned();
    let mut file = Vec::new();
    ledger.export(at(1), ledger.installation(), &mut file).await.unwrap();
    assert!(!String::from_utf8(file).unwrap().contains(&secret));
    assert!(!format!("{token:?}").contains(&secret));
    ledger.close().await.unwrap();
    if let guild_ledger::Location::Sqlite(path) = &site.location {
        let bytes = std::fs::read(path).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

async fn agents_make_no_tokens(site: Site) {
    let ledger = site.open().await;
    let error = ledger.create_token(at(0), holder(), agent("a")).await.unwrap_err();
    assert!(matches!(error, TokenError::NotAPerson), "{error}");
    let (token, _) = ledger.create_token(at(0), holder(), person()).await.unwrap();
    let error = ledger.revoke_token(at(0), token.id, agent("a")).await.unwrap_err();
    assert!(matches!(error, EndError::NotAPerson), "{error}");
}

fn warning(content: &str) -> Warning {
    Warning {
        code: "warn.net.download".to_owned(),
        content: Digest::of(content.as_bytes()),
        rules: "3".to_owned(),
        why: "it is our own mirror".to_owned(),
    }
}

async fn a_warning_is_suppressed_for_its_content_until_somebody_wants_it_back(site: Site) {
    let ledger = site.open().await;
    let one = ledger.suppress(at(0), warning("one"), person()).await.unwrap();
    let two = ledger.suppress(at(1), warning("two"), person()).await.unwrap();
    assert_eq!(one.warning, warning("one"));
    let of = async |content: &str| ledger.suppressions_of(&Digest::of(content.as_bytes())).await.unwrap();
    assert_eq!((of("one").await, of("three").await), (vec![one.clone()], vec![]));
    assert_eq!(ledger.suppressions().await.unwrap(), [one.clone(), two.clone()]);
    ledger.unsuppress(at(2), one.id, person()).await.unwrap();
    assert_eq!((of("one").await, ledger.suppressions().await.unwrap()), (vec![], vec![two]));
    let error = ledger.unsuppress(at(3), one.id, person()).await.unwrap_err();
    assert!(matches!(error, EndError::AlreadyEnded { .. }), "{error}");
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn agents_suppress_nothing(site: Site) {
    let ledger = site.open().await;
    let error = ledger.suppress(at(0), warning("one"), agent("a")).await.unwrap_err();
    assert!(matches!(error, SuppressError::NotAPerson), "{error}");
}
