//! Asking a person, and what becomes of it.

use std::sync::atomic::{AtomicU64, Ordering};

use expect_test::expect;
use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{Answer, DecideError, Matter, RUN, State};
use guild_manifest::Digest;

use crate::on_both_databases;
use crate::script::check;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    a_request_is_answered_once
    an_answer_gives_a_grant_for_what_was_asked
    the_same_matter_is_asked_once
    a_request_expires
    a_denied_request_denies
    a_standing_denial_is_not_lifted_by_an_answer
    what_is_no_run_is_decided_without_a_grant
    agents_answer_nothing
    of_several_answers_at_once_one_counts
    who_waits_gets_the_answer
    who_waits_too_long_gets_none
    a_request_that_is_not_there_is_not_waited_for
}

async fn a_request_is_answered_once(site: Site) {
    check(
        &site,
        "
        ask q1
        request q1
        pending
        decide q1 once g1
        request q1
        pending
        decide q1 deny
        decide q1 always g2
        standing
        ",
        expect![[r#"
            ask q1 → asked
            request q1 → pending
            pending → q1
            decide q1 once g1 → run_once, and a grant
            request q1 → decided: run_once
            pending → none
            decide q1 deny → q1 was answered before
            decide q1 always g2 → q1 was answered before
            standing → allowed by g1
        "#]],
    )
    .await;
}

async fn an_answer_gives_a_grant_for_what_was_asked(site: Site) {
    check(
        &site,
        "
        ask q1 plan=x in=/x agent=b skill=t hash=2
        decide q1 once g1
        start r1 plan=x agent=b skill=t hash=2
        start r1 plan=y in=/x agent=b skill=t hash=2
        start r1 plan=x in=/x agent=b skill=t hash=2
        start r2 plan=x in=/x agent=b skill=t hash=2
        ask q2
        decide q2 always g2 for=5
        start r3
        wait 5
        start r4
        ",
        expect![[r#"
            ask q1 plan=x in=/x agent=b skill=t hash=2 → asked
            decide q1 once g1 → run_once, and a grant
            start r1 plan=x agent=b skill=t hash=2 → refused: undecided, 2 was approved
            start r1 plan=y in=/x agent=b skill=t hash=2 → refused: undecided, 2 was approved
            start r1 plan=x in=/x agent=b skill=t hash=2 → started by g1
            start r2 plan=x in=/x agent=b skill=t hash=2 → refused: undecided, 2 was approved
            ask q2 → asked
            decide q2 always g2 for=5 → always_allow, and a grant
            start r3 → started by g2
            wait 5 → 2026-11-15T09:05:00.000Z
            start r4 → refused: undecided, 1 was approved
        "#]],
    )
    .await;
}

async fn the_same_matter_is_asked_once(site: Site) {
    check(
        &site,
        "
        ask q1
        ask q2
        pending
        ask q3 plan=q
        ask q4 agent=b
        ask q5 skill=t
        ask q6 hash=2
        ask q7 in=/elsewhere
        ask q8 action=install
        pending
        decide q1 once g1
        ask q9
        pending
        receipts code=ok
        ",
        expect![[r#"
            ask q1 → asked
            ask q2 → asked already: q1
            pending → q1
            ask q3 plan=q → asked
            ask q4 agent=b → asked
            ask q5 skill=t → asked
            ask q6 hash=2 → asked
            ask q7 in=/elsewhere → asked
            ask q8 action=install → asked
            pending → q1, q3, q4, q5, q6, q7, q8
            decide q1 once g1 → run_once, and a grant
            ask q9 → asked
            pending → q3, q4, q5, q6, q7, q8, q9
            receipts code=ok → [10 8 7 6 5 4 3 2 1]
        "#]],
    )
    .await;
}

async fn a_request_expires(site: Site) {
    check(
        &site,
        "
        ask q1 for=10
        wait 9
        request q1
        wait 1
        request q1
        pending
        decide q1 always g1
        standing
        ask q2
        pending
        ",
        expect![[r#"
            ask q1 for=10 → asked
            wait 9 → 2026-11-15T09:09:00.000Z
            request q1 → pending
            wait 1 → 2026-11-15T09:10:00.000Z
            request q1 → expired
            pending → none
            decide q1 always g1 → q1 has expired
            standing → undecided
            ask q2 → asked
            pending → q2
        "#]],
    )
    .await;
}

async fn a_denied_request_denies(site: Site) {
    check(
        &site,
        "
        give always g1
        ask q1
        decide q1 deny g2
        request q1
        standing
        standing in=/elsewhere
        grants
        ",
        expect![[r#"
            give always g1 → always_allow
            ask q1 → asked
            decide q1 deny g2 → deny, and a grant
            request q1 → decided: deny
            standing → denied by g2
            standing in=/elsewhere → denied by g2
            grants → g2 deny
        "#]],
    )
    .await;
}

async fn a_standing_denial_is_not_lifted_by_an_answer(site: Site) {
    check(
        &site,
        "
        ask q1
        give deny g1
        decide q1 once g2
        request q1
        lift g1
        decide q1 once g2
        standing
        ",
        expect![[r#"
            ask q1 → asked
            give deny g1 → deny
            decide q1 once g2 → it is denied by g1; lift that first
            request q1 → pending
            lift g1 → lifted
            decide q1 once g2 → run_once, and a grant
            standing → allowed by g2
        "#]],
    )
    .await;
}

async fn what_is_no_run_is_decided_without_a_grant(site: Site) {
    check(
        &site,
        "
        ask q1 action=install hash=none
        decide q1 once
        request q1
        ask q2 action=install hash=1
        decide q2 deny
        request q2
        standing
        grants
        ",
        expect![[r#"
            ask q1 action=install hash=none → asked
            decide q1 once → approved
            request q1 → decided: approved
            ask q2 action=install hash=1 → asked
            decide q2 deny → denied
            request q2 → decided: denied
            standing → undecided
            grants → none
        "#]],
    )
    .await;
}

async fn agents_answer_nothing(site: Site) {
    check(
        &site,
        "
        ask q1
        decide q1 once g1 by=agent
        decide q1 deny by=agent
        request q1
        ",
        expect![[r#"
            ask q1 → asked
            decide q1 once g1 by=agent → an agent cannot decide this; it takes a person
            decide q1 deny by=agent → an agent cannot decide this; it takes a person
            request q1 → pending
        "#]],
    )
    .await;
}

fn matter() -> Matter {
    Matter {
        action: RUN.to_owned(),
        agent: "a".to_owned(),
        skill: "s".to_owned(),
        security_hash: Some(Digest::of(b"1")),
        workspace: "/w".to_owned(),
        plan: Digest::of(b"p"),
        shown: serde_json::Value::Null,
    }
}

fn asking() -> Entry {
    Entry::new(Kind::Asked, "approval_required", agent("a"))
}

async fn of_several_answers_at_once_one_counts(site: Site) {
    let ledger = site.open().await;
    let (request, _) = ledger.ask(at(0), matter(), at(10), asking()).await.unwrap();
    let answer = async |site: Site, answer: Answer| {
        let ledger = site.open().await;
        ledger.decide(at(1), request.id, answer, person()).await
    };
    let answers = tokio::join!(
        answer(site.clone(), Answer::Once { expires: None }),
        answer(site.clone(), Answer::Always { expires: None }),
        answer(site.clone(), Answer::Deny),
        answer(site.clone(), Answer::Once { expires: None }),
    );
    let answers = [answers.0, answers.1, answers.2, answers.3];
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{answers:?}");
    let lost = |answer: &&Result<_, DecideError>| matches!(answer, Err(DecideError::AlreadyDecided(_)));
    assert_eq!(answers.iter().filter(lost).count(), 3, "{answers:?}");
    assert_eq!(ledger.grants(at(1)).await.unwrap().len(), 1);
}

async fn who_waits_gets_the_answer(site: Site) {
    let (ledger, other) = (site.open().await, site.open().await);
    let (request, _) = ledger.ask(at(0), matter(), at(10), asking()).await.unwrap();
    let waiting = ledger.wait(request.id, at(10), || at(1));
    let deciding = other.decide(at(1), request.id, Answer::Deny, person());
    let (waited, decided) = tokio::join!(waiting, deciding);
    let (state, decided) = (waited.unwrap().unwrap().state, decided.unwrap());
    let State::Decided { receipt, grant } = state else { panic!("{state:?}") };
    assert_eq!((*receipt, grant.map(|grant| *grant)), (decided.receipt, decided.grant));
}

async fn who_waits_too_long_gets_none(site: Site) {
    let ledger = site.open().await;
    let (request, _) = ledger.ask(at(0), matter(), at(10), asking()).await.unwrap();
    // The clock goes on by three minutes whenever it is looked at.
    let clock = |minute: &AtomicU64| at(minute.fetch_add(3, Ordering::Relaxed) + 3);
    let (one, other) = (AtomicU64::new(0), AtomicU64::new(0));
    let early = ledger.wait(request.id, at(5), || clock(&one)).await.unwrap().unwrap();
    let late = ledger.wait(request.id, at(60), || clock(&other)).await.unwrap().unwrap();
    assert_eq!((early.state, late.state), (State::Pending, State::Expired));
}

async fn a_request_that_is_not_there_is_not_waited_for(site: Site) {
    let ledger = site.open().await;
    let nobody = guild_ledger::RequestId::new(at(0)).unwrap();
    assert_eq!(ledger.wait(nobody, at(60), || at(0)).await.unwrap(), None);
    let error = ledger.decide(at(0), nobody, Answer::Deny, person()).await.unwrap_err();
    assert!(matches!(error, DecideError::NotFound(_)), "{error}");
}
