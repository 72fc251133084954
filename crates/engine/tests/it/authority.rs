//! Who may decide, and in which way: what no command can ask, since whoever sits at the machine is its admin.

use std::time::Duration;

use guild_engine::ledger::receipt::{Entry, Kind};
use guild_engine::ledger::{Filter, Matter, PrincipalKind, RUN, Role, Timestamp, via};
use guild_engine::manifest::Digest;
use guild_engine::{
    Books, Decision, Places, Principal, TokenRequest, approve, configure, deny, grants_lift, grants_revoke,
    receipts_accept_loss, token_create, token_revoke, vet_disallow,
};

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn person(role: Role, via: &str) -> Principal {
    Principal { kind: PrincipalKind::Person, role, ..Principal::person(via) }
}

/// Opens books and asks for a run; the test gets both.
#[track_caller]
fn with_request(test: impl AsyncFnOnce(&Books, &str)) {
    let home = tempfile::tempdir().unwrap();
    let place = |name: &str| Some(home.path().join(name));
    let places = Places { data: place("data"), state: place("state"), cache: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let books = Books::open(&places, &configure(&[]).config, &[]).await.unwrap();
        let matter = Matter {
            action: RUN.to_owned(),
            agent: "writer".to_owned(),
            skill: "report".to_owned(),
            security_hash: Some(Digest::of(b"report")),
            workspace: "/project".to_owned(),
            plan: Digest::of(b"plan"),
            shown: serde_json::Value::Null,
        };
        let entry = Entry::new(Kind::Asked, "approval_required", Principal::agent("writer", "mcp"));
        let expires = NOW.after(Duration::from_secs(600));
        let (request, _) = books.ledger.ask(NOW, matter, expires, entry).await.unwrap();
        test(&books, &request.id.to_string()).await;
    });
}

#[test]
fn what_changes_what_is_on_is_answered_by_an_admin_alone() {
    with_request(async |books, _| {
        let matter = Matter {
            action: "enable".to_owned(),
            agent: "writer".to_owned(),
            skill: "acme".to_owned(),
            security_hash: None,
            workspace: "/project".to_owned(),
            plan: Digest::of(b"plan"),
            shown: serde_json::Value::Null,
        };
        let entry = Entry::new(Kind::Asked, "approval_required", Principal::agent("writer", "mcp"));
        let (request, _) =
            books.ledger.ask(NOW, matter, NOW.after(Duration::from_secs(600)), entry).await.unwrap();
        let id = request.id.to_string();
        let answer =
            async |role| approve(books, NOW, &id, (Decision::Once, None), person(role, "http")).await.code;
        assert_eq!(answer(Role::Operator).await.as_str(), "role_insufficient");
        assert_eq!(answer(Role::Admin).await.as_str(), "ok");
    });
}

#[test]
fn whoever_may_only_look_decides_nothing() {
    with_request(async |books, id| {
        let viewer = || person(Role::Viewer, "http");
        let token = TokenRequest { label: "", agent: None, role: Role::Viewer, lifetime: None };
        let codes = [
            approve(books, NOW, id, (Decision::Once, None), viewer()).await.code,
            deny(books, NOW, id, viewer()).await.code,
            grants_revoke(books, NOW, "grt_0", viewer()).await.code,
            grants_lift(books, NOW, "grt_0", viewer()).await.code,
            token_create(books, NOW, &token, viewer()).await.code,
            token_revoke(books, NOW, "tok_0", viewer()).await.code,
            vet_disallow(books, NOW, "sup_0", viewer()).await.code,
            receipts_accept_loss(books, NOW, "why", viewer()).await.code,
        ];
        assert_eq!(codes.map(guild_engine::Code::as_str), ["role_insufficient"; 8]);
        let filter = Filter { code: Some("role_insufficient".to_owned()), ..Filter::default() };
        assert_eq!(books.ledger.receipts(&filter, None, 10).await.unwrap().receipts.len(), 8);
    });
}

#[test]
fn an_operator_answers_requests_and_changes_nothing_that_is_trusted() {
    with_request(async |books, id| {
        let operator = || person(Role::Operator, "http");
        let token = TokenRequest { label: "", agent: None, role: Role::Viewer, lifetime: None };
        assert_eq!(token_create(books, NOW, &token, operator()).await.code.as_str(), "role_insufficient");
        assert_eq!(approve(books, NOW, id, (Decision::Always, None), operator()).await.code.as_str(), "ok");
    });
}

#[test]
fn an_answer_that_an_agents_program_forwards_is_good_for_one_run() {
    with_request(async |books, id| {
        let forwarded = || person(Role::Admin, via::ELICITATION);
        let always = approve(books, NOW, id, (Decision::Always, None), forwarded()).await;
        assert_eq!(always.code.as_str(), "approval_way_forbidden");
        let lifted = grants_lift(books, NOW, "grt_0", forwarded()).await;
        assert_eq!(lifted.code.as_str(), "approval_way_forbidden");
        let once =
            approve(books, NOW, id, (Decision::Once, Some(Duration::from_secs(60))), forwarded()).await;
        let grant = once.data.grant.unwrap();
        assert_eq!((grant.mode, grant.expires.as_deref()), ("run_once", Some("2027-01-15T08:01:00.000Z")));
    });
}
