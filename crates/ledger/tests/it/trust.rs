//! Installations that share a database: what one signs counts for another only if it is trusted there.

use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{
    Answer, Ask, DecideError, Holder, Ledger, Matter, Mode, NewGrant, PrincipalKind, RUN, Role, RunId,
    Standing, StartError, State,
};
use guild_manifest::Digest;

use crate::on_both_databases;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    anothers_grant_counts_only_where_its_key_is_trusted
    anothers_grant_for_one_run_is_used_up_for_everybody
    anothers_denial_counts_only_where_its_key_is_trusted
    a_denial_stands_when_a_stranger_has_lifted_it
    a_strangers_answer_is_no_answer
    anothers_token_lets_nobody_in_unless_its_key_is_trusted
    every_chain_is_verified
    a_run_is_ended_by_whoever_started_it
}

fn ask() -> Ask {
    Ask {
        agent: "a".to_owned(),
        skill: "s".to_owned(),
        security_hash: Digest::of(b"1"),
        workspace: "/w".to_owned(),
        plan: Digest::of(b"p"),
    }
}

fn grant(mode: Mode) -> NewGrant {
    let Ask { agent, skill, security_hash, workspace, .. } = ask();
    NewGrant { agent, skill, security_hash, workspace, mode, expires: None }
}

fn entry(kind: Kind) -> Entry {
    Entry::new(kind, "ok", agent("a"))
}

/// A ledger that trusts nobody, one that trusts the first, and the first.
async fn three(site: &Site) -> (Ledger, Ledger, Ledger) {
    let first = site.open().await;
    let trusting = site.neighbour().open_trusting(first.public_key()).await;
    (first, trusting, site.neighbour().open().await)
}

async fn anothers_grant_counts_only_where_its_key_is_trusted(site: Site) {
    let (first, trusting, stranger) = three(&site).await;
    let (given, _) = first.give(at(0), grant(Mode::AlwaysAllow), person()).await.unwrap();
    assert_eq!(trusting.standing(at(1), &ask()).await.unwrap(), Standing::Allowed(given.clone()));
    assert_eq!(trusting.grants(at(1)).await.unwrap(), [given]);
    assert_eq!(stranger.standing(at(1), &ask()).await.unwrap(), Standing::Undecided { approved: None });
    assert_eq!(stranger.grants(at(1)).await.unwrap(), []);
}

async fn anothers_grant_for_one_run_is_used_up_for_everybody(site: Site) {
    let (first, trusting, _) = three(&site).await;
    let once = Mode::RunOnce { plan: Digest::of(b"p") };
    first.give(at(0), grant(once), person()).await.unwrap();
    let run = async |ledger: &Ledger| {
        ledger.start(at(1), RunId::new(at(1)).unwrap(), entry(Kind::Started), Some(&ask())).await
    };
    run(&trusting).await.unwrap();
    for ledger in [&first, &trusting] {
        let error = run(ledger).await.unwrap_err();
        assert!(matches!(error, StartError::NotAllowed(_)), "{error}");
    }
}

async fn anothers_denial_counts_only_where_its_key_is_trusted(site: Site) {
    let (first, trusting, stranger) = three(&site).await;
    let (denial, _) = first.give(at(0), grant(Mode::Deny), person()).await.unwrap();
    assert_eq!(trusting.standing(at(1), &ask()).await.unwrap(), Standing::Denied(denial));
    stranger.give(at(1), grant(Mode::AlwaysAllow), person()).await.unwrap();
    assert!(matches!(stranger.standing(at(1), &ask()).await.unwrap(), Standing::Allowed(_)));
}

async fn a_denial_stands_when_a_stranger_has_lifted_it(site: Site) {
    let (first, trusting, stranger) = three(&site).await;
    let (denial, _) = first.give(at(0), grant(Mode::Deny), person()).await.unwrap();
    stranger.lift(at(1), denial.id, person()).await.unwrap();
    for ledger in [&first, &trusting] {
        assert_eq!(ledger.standing(at(2), &ask()).await.unwrap(), Standing::Denied(denial.clone()));
    }
}

async fn a_strangers_answer_is_no_answer(site: Site) {
    let first = site.open().await;
    let stranger = site.neighbour().open_trusting(first.public_key()).await;
    let Ask { agent, skill, security_hash, workspace, plan } = ask();
    let shown = serde_json::Value::Null;
    let (action, security_hash) = (RUN.to_owned(), Some(security_hash));
    let matter = Matter { action, agent, skill, security_hash, workspace, plan, shown };
    let (request, _) = first.ask(at(0), matter.clone(), at(10), entry(Kind::Asked)).await.unwrap();
    stranger.decide(at(1), request.id, Answer::Always { expires: None }, person()).await.unwrap();
    assert_eq!(first.request(at(2), request.id).await.unwrap().unwrap().state, State::Untrusted);
    assert_eq!(first.standing(at(2), &ask()).await.unwrap(), Standing::Undecided { approved: None });
    let error =
        site.neighbour().open().await.decide(at(2), request.id, Answer::Deny, person()).await.unwrap_err();
    assert!(matches!(error, DecideError::NotFound(_)), "{error}");
    let (again, _) = first.ask(at(3), matter, at(10), entry(Kind::Asked)).await.unwrap();
    assert_ne!(again.id, request.id);
}

async fn anothers_token_lets_nobody_in_unless_its_key_is_trusted(site: Site) {
    let (first, trusting, stranger) = three(&site).await;
    let holder = Holder {
        label: "t".to_owned(),
        kind: PrincipalKind::Person,
        role: Role::Admin,
        agent: None,
        expires: None,
    };
    let (token, secret) = first.create_token(at(0), holder, person()).await.unwrap();
    assert_eq!(trusting.authenticate(at(1), &secret).await.unwrap(), Some(token));
    assert_eq!(stranger.authenticate(at(1), &secret).await.unwrap(), None);
}

async fn every_chain_is_verified(site: Site) {
    let (first, trusting, stranger) = three(&site).await;
    for ledger in [&first, &trusting, &stranger, &first] {
        ledger.append(at(0), entry(Kind::Load)).await.unwrap();
    }
    let report = stranger.verify().await.unwrap();
    assert!(report.is_whole(), "{report:?}");
    let mut chains: Vec<_> =
        report.chains.iter().map(|chain| (chain.installation.clone(), chain.receipts, chain.head)).collect();
    let mut expected = vec![
        (first.installation().clone(), 2, None),
        (trusting.installation().clone(), 1, None),
        (stranger.installation().clone(), 1, Some(1)),
    ];
    chains.sort();
    expected.sort();
    assert_eq!(chains, expected);
}

async fn a_run_is_ended_by_whoever_started_it(site: Site) {
    let (first, trusting, _) = three(&site).await;
    let run = RunId::new(at(0)).unwrap();
    first.start(at(0), run, entry(Kind::Started), None).await.unwrap();
    assert_eq!(trusting.unfinished().await.unwrap(), []);
    assert!(trusting.finish(at(1), run, entry(Kind::Finished)).await.is_err());
    assert!(trusting.start(at(1), run, entry(Kind::Started), None).await.is_err());
    first.finish(at(1), run, entry(Kind::Finished)).await.unwrap();
}
