//! What whoever installs tells the registry, and who may: what no command of today can ask.

use std::path::Path;

use guild_engine::ledger::{Filter, PrincipalKind, Role, SourceType, Status, SubjectKind, Timestamp, via};
use guild_engine::manifest::Digest;
use guild_engine::{Books, Places, Principal, RegisterRequest, configure, register, unregister};

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

#[track_caller]
fn with_books(test: impl AsyncFnOnce(&Books)) {
    let home = tempfile::tempdir().unwrap();
    let place = |name: &str| Some(home.path().join(name));
    let places = Places { data: place("data"), state: place("state"), cache: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let books = Books::open(&places, &configure(&[]).config, &[]).await.unwrap();
        test(&books).await;
    });
}

fn request(enabled: bool) -> RegisterRequest<'static> {
    RegisterRequest {
        kind: SubjectKind::Plugin,
        name: "acme",
        description: Some("What Acme's teams share"),
        version: Some("1.0.0"),
        source_type: SourceType::Skills,
        source: "acme/plugins",
        resolved: Some("0123abc"),
        digest: Some(Digest::of(b"tree")),
        place: Path::new("/home/ada/.guild/plugins/acme"),
        capabilities: vec!["tools".to_owned()],
        required_env: Vec::new(),
        enabled,
    }
}

fn admin() -> Principal {
    Principal::person(via::TERMINAL)
}

#[test]
fn what_is_installed_is_known_and_what_is_removed_leaves_one_receipt() {
    with_books(async |books| {
        let registered = register(books, NOW, request(false), admin()).await.unwrap();
        assert_eq!(
            (registered.plugin.as_str(), registered.status),
            ("plugin-acme-plugins", Status::Disabled)
        );
        let place = Path::new("/home/ada/.guild/plugins/acme");
        let switches = books.switches().await.unwrap();
        let switched = switches.at(place.to_str().unwrap()).unwrap();
        assert!(switched.off.is_some() && !switched.by_person, "{switched:?}");
        let receipt = unregister(books, NOW, place, admin()).await.unwrap();
        assert!(receipt.is_some());
        assert!(books.switches().await.unwrap().is_empty());
        assert_eq!(unregister(books, NOW, place, admin()).await.unwrap(), None);
        let all = books.ledger.receipts(&Filter::default(), None, 10).await.unwrap().receipts;
        let codes: Vec<&str> = all.iter().map(|signed| signed.receipt.entry.code.as_str()).collect();
        assert_eq!(codes, ["uninstalled", "installed"]);
    });
}

#[test]
fn only_an_admin_changes_what_is_installed() {
    with_books(async |books| {
        let operator =
            Principal { kind: PrincipalKind::Person, role: Role::Operator, ..Principal::person("http") };
        for (who, code) in
            [(operator, "role_insufficient"), (Principal::agent("ci", "mcp"), "person_required")]
        {
            let refused = register(books, NOW, request(true), who.clone()).await.unwrap_err();
            assert_eq!(refused.code.as_str(), code);
            let refused = unregister(books, NOW, Path::new("/x"), who).await.unwrap_err();
            assert_eq!(refused.code.as_str(), code);
        }
        assert!(books.switches().await.unwrap().is_empty());
    });
}
