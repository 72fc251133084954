//! The registry: what is installed, on, off and set; every change leaves a receipt, and nobody brings an old state back unseen.

use expect_test::{Expect, expect};
use guild_ledger::{
    Arrival, Change, Filter, Ledger, Location, Registration, RegistryError, SourceType, Status, Subject,
    SubjectKind,
};

use crate::on_both_databases;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    what_is_registered_is_switched_and_set_and_remembers_who
    an_update_keeps_state_and_values
    another_source_at_the_same_place_takes_it_over
    one_source_at_two_places_is_two
    everything_is_brought_up_to_what_is_installed_at_once
    what_is_written_ahead_counts_once_it_is_so
    many_that_come_at_once_are_each_signed_and_in_the_chain
    of_two_that_come_to_one_place_at_once_the_second_stays
    what_is_removed_leaves_no_row_and_one_receipt
    agents_change_nothing
    what_is_not_registered_cannot_be_changed
    each_installation_has_its_own_registry
    edited_rows_are_found_and_do_not_count
    an_older_ledger_gets_a_registry
}

fn subject(name: &str, source: &str) -> Subject {
    Subject {
        kind: SubjectKind::Plugin,
        name: name.to_owned(),
        description: Some("Does things.".to_owned()),
        version: Some("1.0.0".to_owned()),
        source_type: SourceType::Skills,
        source: source.to_owned(),
        resolved: Some("0123abc".to_owned()),
        digest: None,
        place: format!("/home/ada/.guild/plugins/{name}"),
        capabilities: vec!["tools".to_owned(), "prompt".to_owned()],
        required_env: vec!["API_KEY".to_owned()],
    }
}

async fn register(ledger: &Ledger, minute: u64, subject: Subject, status: Status) -> Registration {
    ledger.register(at(minute), subject, Arrival::Decided(status), person()).await.unwrap().0
}

async fn change(ledger: &Ledger, minute: u64, id: &str, change: Change) -> Registration {
    ledger.change(at(minute), id, change, person()).await.unwrap().0
}

fn set(key: &str, value: &str) -> Change {
    Change::Set { key: key.to_owned(), value: value.to_owned(), encrypted: false }
}

/// Compares everything that is registered, with values and events.
async fn check(ledger: &Ledger, expect: Expect) {
    let mut shown = String::new();
    for state in ledger.registrations().await.unwrap() {
        let reason = state.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let who = state.enabled.as_ref().map(|switch| format!(" since {}", &switch.at.to_string()[11..16]));
        let status = state.status.as_str();
        shown.push_str(&format!("{}: {status}{reason}{}", state.plugin, who.unwrap_or_default()));
        for agent in state.off_for.keys() {
            shown.push_str(&format!(", off for {agent}"));
        }
        shown.push('\n');
        for value in ledger.plugin_config(&state).await.unwrap() {
            shown.push_str(&format!("  {} = {}\n", value.key, value.value));
        }
        for event in ledger.plugin_events(&state.plugin).await.unwrap() {
            let time = &event.created_at[11..16];
            shown.push_str(&format!("  {time} {} {}, {}\n", event.event_type, event.details, event.user_id));
        }
    }
    expect.assert_eq(&shown);
}

async fn faults(ledger: &Ledger) -> Vec<String> {
    let report = ledger.verify().await.unwrap();
    let fault = |broken: &guild_ledger::Broken| {
        let id = broken.id.clone().unwrap_or_default();
        let id = if id.contains('_') { "[id]".to_owned() } else { id };
        format!("{id} {}", broken.fault.code())
    };
    report.broken.iter().map(fault).collect()
}

async fn what_is_registered_is_switched_and_set_and_remembers_who(site: Site) {
    let ledger = site.open().await;
    let id = register(&ledger, 0, subject("acme", "a-b/c"), Status::Disabled).await.plugin;
    change(&ledger, 1, &id, Change::Enable).await;
    change(&ledger, 2, &id, Change::DisableFor("ci".to_owned())).await;
    let state = change(&ledger, 3, &id, set("url", "https://example.org")).await;
    assert!(state.is_on_for(None) && state.is_on_for(Some("default")) && !state.is_on_for(Some("ci")));
    check(
        &ledger,
        expect![[r#"
            plugin-a--b-c: enabled since 09:01, off for ci
              url = https://example.org
              09:00 installed skills from a-b/c, person:default
              09:01 enabled by person:default, person:default
              09:02 disabled for agent ci by person:default, person:default
              09:03 configured url set by person:default, person:default
        "#]],
    )
    .await;
    change(&ledger, 4, &id, Change::EnableFor("ci".to_owned())).await;
    change(&ledger, 5, &id, Change::Unset { key: "url".to_owned() }).await;
    let error =
        ledger.change(at(6), &id, Change::Unset { key: "url".to_owned() }, person()).await.unwrap_err();
    assert!(matches!(error, RegistryError::NotSet { .. }), "{error}");
    change(&ledger, 7, &id, Change::Fail { reason: "onEnable failed".to_owned() }).await;
    drop(ledger);
    let ledger = site.open().await;
    check(
        &ledger,
        expect![[r#"
            plugin-a--b-c: error (onEnable failed)
              09:00 installed skills from a-b/c, person:default
              09:01 enabled by person:default, person:default
              09:02 disabled for agent ci by person:default, person:default
              09:03 configured url set by person:default, person:default
              09:04 enabled for agent ci by person:default, person:default
              09:05 configured url unset by person:default, person:default
              09:07 error onEnable failed, person:default
        "#]],
    )
    .await;
    assert_eq!(faults(&ledger).await, [""; 0]);
}

async fn an_update_keeps_state_and_values(site: Site) {
    let ledger = site.open().await;
    let id = register(&ledger, 0, subject("acme", "o/r"), Status::Enabled).await.plugin;
    change(&ledger, 1, &id, set("url", "x")).await;
    let newer = Subject { version: Some("2.0.0".to_owned()), ..subject("acme", "o/r") };
    let state = register(&ledger, 2, newer, Status::Disabled).await;
    assert_eq!((state.status, state.subject.version.as_deref()), (Status::Enabled, Some("2.0.0")));
    assert_eq!((state.installed_at, state.updated_at), (at(0), at(2)));
    assert_eq!(ledger.plugin_config(&state).await.unwrap().len(), 1);
    assert_eq!(faults(&ledger).await, [""; 0]);
}

async fn another_source_at_the_same_place_takes_it_over(site: Site) {
    let ledger = site.open().await;
    register(&ledger, 0, subject("acme", "o/r"), Status::Enabled).await;
    register(&ledger, 1, subject("acme", "o/other"), Status::Disabled).await;
    check(
        &ledger,
        expect![[r#"
            plugin-o-other: disabled
              09:01 installed skills from o/other, person:default
        "#]],
    )
    .await;
    assert_eq!(faults(&ledger).await, [""; 0]);
}

async fn one_source_at_two_places_is_two(site: Site) {
    let ledger = site.open().await;
    let other = Subject { place: "/srv/shop/.guild/plugins/acme".to_owned(), ..subject("acme", "o/r") };
    register(&ledger, 0, subject("acme", "o/r"), Status::Enabled).await;
    let apart = register(&ledger, 1, other.clone(), Status::Disabled).await.plugin;
    assert_eq!(apart, "plugin-o-r::4bafd46beb67");
    // Whichever goes, the other one keeps its id and its state.
    ledger.unregister(at(2), "plugin-o-r", person()).await.unwrap();
    assert_eq!(register(&ledger, 3, other, Status::Enabled).await.plugin, apart);
    register(&ledger, 4, subject("acme", "o/r"), Status::Enabled).await;
    check(
        &ledger,
        expect![[r#"
            plugin-o-r: enabled since 09:04
              09:04 installed skills from o/r, person:default
            plugin-o-r::4bafd46beb67: disabled
              09:01 installed skills from o/r, person:default
              09:03 installed skills from o/r, person:default
        "#]],
    )
    .await;
    assert_eq!(faults(&ledger).await, [""; 0]);
}

async fn everything_is_brought_up_to_what_is_installed_at_once(site: Site) {
    let ledger = site.open().await;
    register(&ledger, 0, subject("a", "o/a"), Status::Enabled).await;
    register(&ledger, 0, subject("b", "o/b"), Status::Enabled).await;
    let come = vec![
        (Subject { version: None, ..subject("b", "o/b") }, Arrival::Decided(Status::Disabled)),
        (subject("c", "o/c"), Arrival::Decided(Status::Disabled)),
    ];
    let gone = ["plugin-o-a".to_owned(), "plugin-o-never".to_owned()];
    let error = ledger.settle_registry(at(1), come.clone(), &gone, &agent("a")).await.unwrap_err();
    assert!(matches!(error, RegistryError::NotAPerson), "{error}");
    let settled = ledger.settle_registry(at(1), come, &gone, &person()).await.unwrap();
    assert_eq!(settled, ledger.registrations().await.unwrap());
    check(
        &ledger,
        expect![[r#"
            plugin-o-b: enabled since 09:00
              09:00 installed skills from o/b, person:default
              09:01 installed skills from o/b, person:default
            plugin-o-c: disabled
              09:01 installed skills from o/c, person:default
        "#]],
    )
    .await;
    let filter = Filter { code: Some("uninstalled".to_owned()), ..Filter::default() };
    assert_eq!(ledger.receipts(&filter, None, 10).await.unwrap().receipts.len(), 1);
    assert_eq!(faults(&ledger).await, [""; 0]);
}

async fn what_is_written_ahead_counts_once_it_is_so(site: Site) {
    let ledger = site.open().await;
    ledger.begin_chain(at(0)).await.unwrap();
    let come = || vec![(subject("a", "o/a"), Arrival::Decided(Status::Enabled))];
    for is_so in [false, true] {
        let settled = ledger.settle_registry_once(at(1), (come(), &[]), &person(), async { is_so }).await;
        assert_eq!(settled.unwrap().map(|settled| settled.len()), is_so.then_some(1));
        assert_eq!(ledger.registrations().await.unwrap().len(), usize::from(is_so));
        assert_eq!(faults(&ledger).await, [""; 0]);
    }
    let receipts = ledger.receipts(&Filter::default(), None, 10).await.unwrap().receipts;
    assert_eq!(receipts.len(), 1);
}

async fn many_that_come_at_once_are_each_signed_and_in_the_chain(site: Site) {
    let ledger = site.open().await;
    let come = |version: &str| {
        let one = |number| Subject {
            version: Some(version.to_owned()),
            ..subject(&format!("p{number}"), &format!("o/p{number}"))
        };
        (0..70).map(|number| (one(number), Arrival::Decided(Status::Enabled))).collect::<Vec<_>>()
    };
    for (minute, version) in [(0, "1.0.0"), (1, "1.1.0")] {
        let settled = ledger.settle_registry(at(minute), come(version), &[], &person()).await.unwrap();
        assert_eq!((settled.len(), &settled), (70, &ledger.registrations().await.unwrap()));
        assert_eq!(faults(&ledger).await, [""; 0]);
    }
    let filter = Filter { code: Some("installed".to_owned()), ..Filter::default() };
    assert_eq!(ledger.receipts(&filter, None, 200).await.unwrap().receipts.len(), 140);
}

async fn of_two_that_come_to_one_place_at_once_the_second_stays(site: Site) {
    let ledger = site.open().await;
    register(&ledger, 0, subject("b", "o/b"), Status::Enabled).await;
    let other = Subject { place: subject("a", "o/a").place, ..subject("a", "elsewhere/a") };
    let come = [subject("c", "o/c"), subject("a", "o/a"), other, subject("b", "o/b")];
    let come = come.map(|subject| (subject, Arrival::Decided(Status::Disabled))).to_vec();
    let settled = ledger.settle_registry(at(1), come, &[], &person()).await.unwrap();
    assert_eq!(settled, ledger.registrations().await.unwrap());
    check(
        &ledger,
        expect![[r#"
            plugin-elsewhere-a: disabled
              09:01 installed skills from elsewhere/a, person:default
            plugin-o-b: enabled since 09:00
              09:00 installed skills from o/b, person:default
              09:01 installed skills from o/b, person:default
            plugin-o-c: disabled
              09:01 installed skills from o/c, person:default
        "#]],
    )
    .await;
    assert_eq!(faults(&ledger).await, [""; 0]);
}

async fn what_is_removed_leaves_no_row_and_one_receipt(site: Site) {
    let ledger = site.open().await;
    let id = register(&ledger, 0, subject("acme", "o/r"), Status::Enabled).await.plugin;
    change(&ledger, 1, &id, set("url", "x")).await;
    let receipt = ledger.unregister(at(2), &id, person()).await.unwrap();
    let entry = &receipt.receipt.entry;
    assert_eq!((entry.code.as_str(), entry.note.as_deref()), ("uninstalled", Some("plugin-o-r from o/r")));
    check(&ledger, expect![[""]]).await;
    assert_eq!(ledger.plugin_events(&id).await.unwrap(), []);
    let filter = Filter { code: Some("uninstalled".to_owned()), ..Filter::default() };
    assert_eq!(ledger.receipts(&filter, None, 10).await.unwrap().receipts, [receipt]);
    let error = ledger.unregister(at(3), &id, person()).await.unwrap_err();
    assert!(matches!(error, RegistryError::NotRegistered { .. }), "{error}");
    let again = register(&ledger, 4, subject("acme", "o/r"), Status::Disabled).await;
    assert_eq!((again.plugin, again.config.len(), again.installed_at), (id, 0, at(4)));
    assert_eq!(faults(&ledger).await, [""; 0]);
}

async fn agents_change_nothing(site: Site) {
    let ledger = site.open().await;
    let id = register(&ledger, 0, subject("acme", "o/r"), Status::Disabled).await.plugin;
    let errors = [
        ledger
            .register(at(1), subject("b", "o/b"), Arrival::Decided(Status::Enabled), agent("a"))
            .await
            .map(drop),
        ledger.change(at(1), &id, Change::Enable, agent("a")).await.map(drop),
        ledger.unregister(at(1), &id, agent("a")).await.map(drop),
    ];
    for error in errors {
        assert!(matches!(error, Err(RegistryError::NotAPerson)), "{error:?}");
    }
    assert_eq!(ledger.registrations().await.unwrap().len(), 1);
}

async fn what_is_not_registered_cannot_be_changed(site: Site) {
    let ledger = site.open().await;
    let error = ledger.change(at(0), "plugin-x", Change::Enable, person()).await.unwrap_err();
    assert_eq!(error.to_string(), "nothing is registered as plugin-x");
    assert_eq!(ledger.verify().await.unwrap().receipts(), 0);
}

async fn each_installation_has_its_own_registry(site: Site) {
    let neighbour = site.neighbour();
    let (ours, theirs) = (site.open().await, neighbour.open().await);
    let id = register(&ours, 0, subject("acme", "o/r"), Status::Enabled).await.plugin;
    assert_eq!(theirs.registrations().await.unwrap(), []);
    register(&theirs, 1, subject("acme", "o/r"), Status::Disabled).await;
    theirs.unregister(at(2), &id, person()).await.unwrap();
    assert!(ours.registrations().await.unwrap()[0].is_on_for(None));
    assert_eq!((faults(&ours).await, faults(&theirs).await), (vec![], vec![]));
}

async fn edited_rows_are_found_and_do_not_count(site: Site) {
    let ledger = site.open().await;
    let id = register(&ledger, 0, subject("acme", "o/r"), Status::Enabled).await.plugin;
    change(&ledger, 1, &id, set("url", "x")).await;
    change(&ledger, 2, &id, Change::Disable).await;
    let tampered = [
        ("UPDATE plugins SET status = 'enabled'", "UPDATE plugins SET status = 'disabled'"),
        ("UPDATE plugin_config SET value = 'y'", "UPDATE plugin_config SET value = 'x'"),
        (
            "UPDATE plugin_events SET plugin_id = plugin_id, event_type = 'error' WHERE event_type = 'disabled'",
            "UPDATE plugin_events SET event_type = 'disabled' WHERE event_type = 'error'",
        ),
    ];
    for (edit, back) in tampered {
        site.sql(edit).await;
        assert_eq!(faults(&ledger).await, ["plugin-o-r registry_edited"], "{edit}");
        assert!(!ledger.registrations().await.unwrap()[0].is_on_for(None));
        site.sql(back).await;
        assert_eq!(faults(&ledger).await, [""; 0], "{back}");
    }
    // The state in which it was on, brought back.
    site.sql("UPDATE records SET ended = NULL WHERE kind = 'registration'").await;
    assert!(ledger.registrations().await.unwrap().iter().all(|state| !state.is_on_for(None)));
    assert!(!ledger.verify().await.unwrap().is_whole());
    site.sql("DELETE FROM plugin_config").await;
    let state = ledger.registrations().await.unwrap().remove(0);
    assert_eq!(ledger.plugin_config(&state).await.unwrap(), []);
}

async fn an_older_ledger_gets_a_registry(site: Site) {
    let ledger = site.open().await;
    ledger.close().await.unwrap();
    let drop = "DROP TABLE secrets; DROP TABLE plugin_events; DROP TABLE plugin_config; DROP TABLE plugins;";
    let version = match site.location {
        Location::Sqlite(_) => "PRAGMA user_version = 1",
        Location::Postgres(_) => "UPDATE guild_ledger SET version = 1",
    };
    site.sql(&format!("{drop} {version}")).await;
    let ledger = site.open().await;
    register(&ledger, 0, subject("acme", "o/r"), Status::Enabled).await;
    assert_eq!(faults(&ledger).await, [""; 0]);
}
