//! Opening a ledger: what is made, what is refused, and what it says.

use std::error::Error;
use std::fs;
use std::future::poll_fn;
use std::os::unix::fs::PermissionsExt;
use std::pin::pin;
use std::task::Poll;

use expect_test::{Expect, expect};
use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{Ledger, Location};

use crate::on_both_databases;
use crate::site::{Site, at, person};

on_both_databases! {
    a_new_ledger_is_empty_and_whole
    several_who_make_the_same_ledger_make_one
    a_connection_that_broke_is_made_again
    a_write_that_is_given_up_harms_nothing
    servers_can_use_it_from_several_threads
}

async fn a_new_ledger_is_empty_and_whole(site: Site) {
    let ledger = site.open().await;
    let report = ledger.verify().await.unwrap();
    assert!(report.is_whole() && report.receipts() == 0, "{report:?}");
    assert_eq!(ledger.receipts(&guild_ledger::Filter::default(), None, 10).await.unwrap().receipts, []);
    ledger.close().await.unwrap();
}

async fn several_who_make_the_same_ledger_make_one(site: Site) {
    let openers: Vec<_> = (0..8)
        .map(|number| {
            let site = site.clone();
            tokio::task::spawn_blocking(move || {
                crate::site::run(async {
                    let entry = Entry::new(Kind::Load, format!("code_{number}"), person());
                    site.open().await.append(at(0), entry).await.unwrap();
                });
            })
        })
        .collect();
    for opener in openers {
        opener.await.unwrap();
    }
    let report = site.open().await.verify().await.unwrap();
    assert!(report.is_whole() && report.receipts() == 8 && report.chains.len() == 1, "{report:?}");
}

async fn a_connection_that_broke_is_made_again(site: Site) {
    let ledger = site.open().await;
    let entry = || Entry::new(Kind::Load, "ok", person());
    ledger.append(at(0), entry()).await.unwrap();
    if matches!(site.location, Location::Postgres(_)) {
        let others =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'guild'";
        site.sql(others).await;
    }
    ledger.append(at(1), entry()).await.unwrap();
    let report = ledger.verify().await.unwrap();
    assert!(report.is_whole() && report.receipts() == 2, "{report:?}");
}

/// Whatever a caller gives up waiting for has happened whole or not at all.
async fn a_write_that_is_given_up_harms_nothing(site: Site) {
    let ledger = site.open().await;
    let entry = || Entry::new(Kind::Load, "ok", person());
    let mut last = 0;
    for polls in 0..60 {
        give_up_after(polls, ledger.append(at(0), entry())).await;
        let seq = ledger.append(at(0), entry()).await.unwrap().receipt.seq;
        assert!(seq == last + 1 || seq == last + 2, "{seq} after {last}");
        last = seq;
    }
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn servers_can_use_it_from_several_threads(site: Site) {
    fn moves(future: impl Future + Send) -> impl Future + Send {
        future
    }
    let ledger = site.open().await;
    let entry = || Entry::new(Kind::Load, "ok", person());
    tokio::join!(
        moves(ledger.append(at(0), entry())),
        moves(ledger.append(at(1), entry())),
        moves(ledger.verify())
    );
    let report = ledger.verify().await.unwrap();
    assert!(report.is_whole() && report.receipts() == 2, "{report:?}");
}

/// Polls a future a few times and drops it.
async fn give_up_after(polls: usize, future: impl Future) {
    let mut future = pin!(future);
    for _ in 0..polls {
        let done = poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await;
        if done {
            break;
        }
        tokio::task::yield_now().await;
    }
}

/// Compares why a ledger cannot be opened.
async fn refused(site: &Site, expect: Expect) {
    let error = Ledger::open(site.options()).await.map(drop).unwrap_err();
    let cause = error.source().map(|cause| format!("\ncaused by: {cause}")).unwrap_or_default();
    expect.assert_eq(&format!("{error}{cause}").replace(site.path().to_str().unwrap(), "[SITE]"));
}

fn database(site: &Site) -> std::path::PathBuf {
    site.path().join("data/ledger.db")
}

#[test]
fn what_is_made_is_for_its_owner_alone() {
    crate::site::run(async {
        let site = Site::sqlite();
        let ledger = site.open().await;
        ledger.append(at(0), Entry::new(Kind::Load, "ok", person())).await.unwrap();
        for path in
            ["data", "keys", "heads", "data/ledger.db", "data/ledger.db-wal", "keys/installation.json"]
        {
            let mode = fs::metadata(site.path().join(path)).unwrap().permissions().mode() & 0o077;
            assert_eq!(mode, 0, "{path}");
        }
    });
}

#[test]
fn a_newer_schema_is_refused() {
    crate::site::run(async {
        let site = Site::sqlite();
        site.open().await.close().await.unwrap();
        site.sql("PRAGMA user_version = 99").await;
        refused(&site, expect!["the ledger has schema 99, and this program knows 3: use a newer Guildhall"])
            .await;
    });
}

#[test]
fn a_newer_schema_is_refused_on_postgres() {
    let server = guild_testkit::Postgres::start();
    crate::site::run(async {
        let site = Site::postgres(&server, "newer");
        site.open().await.close().await.unwrap();
        site.sql("UPDATE guild_ledger SET version = 99").await;
        refused(&site, expect!["the ledger has schema 99, and this program knows 3: use a newer Guildhall"])
            .await;
        let Location::Postgres(url) = &site.location else { unreachable!() };
        let nowhere = url.replace("/newer", "/nowhere");
        let error =
            Ledger::open(Site::with(Location::Postgres(nowhere)).options()).await.map(drop).unwrap_err();
        assert_eq!(error.to_string(), "the ledger cannot be reached");
        let nobody = url.replace("guild@", "nobody@");
        let error =
            Ledger::open(Site::with(Location::Postgres(nobody)).options()).await.map(drop).unwrap_err();
        assert_eq!(error.to_string(), "the ledger's database refuses this user");
    });
}

#[test]
fn what_is_no_ledger_is_refused_and_left_alone() {
    crate::site::run(async {
        let site = Site::sqlite();
        fs::create_dir(site.path().join("data")).unwrap();
        let text =
            "a text, and long enough to be taken for the header of a database if nobody looked ".repeat(40);
        fs::write(database(&site), &text).unwrap();
        refused(
            &site,
            expect![[r#"
                the ledger is damaged or no database
                caused by: file is not a database"#]],
        )
        .await;
        assert_eq!(fs::read_to_string(database(&site)).unwrap(), text);
        fs::remove_file(database(&site)).unwrap();
        fs::write(database(&site), "").unwrap();
        site.sql("CREATE TABLE somebody_elses (a)").await;
        refused(&site, expect!["the database belongs to another program"]).await;
    });
}

#[test]
fn places_that_make_no_sense_are_refused() {
    crate::site::run(async {
        refused(
            &Site::with(Location::Sqlite("file:ledger.db".into())),
            expect![[r#"
            the ledger's location is not understood
            caused by: the path is not absolute"#]],
        )
        .await;
        refused(
            &Site::with(Location::Sqlite("/proc/nowhere/ledger.db".into())),
            expect![[r#"
            the ledger cannot be reached
            caused by: No such file or directory (os error 2)"#]],
        )
        .await;
        refused(
            &Site::with(Location::Postgres("nonsense".to_owned())),
            expect![[r#"
            the ledger's location is not understood
            caused by: error with configuration: relative URL without a base"#]],
        )
        .await;
        let nobody_listens = "postgres://guild:hunter2@127.0.0.1:1/guild".to_owned();
        refused(
            &Site::with(Location::Postgres(nobody_listens)),
            expect![[r#"
            the ledger cannot be reached
            caused by: error communicating with database: Connection refused (os error 111)"#]],
        )
        .await;
    });
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    crate::site::run(async {
        let site = Site::sqlite();
        site.open().await.close().await.unwrap();
        let key = site.path().join("keys/installation.json");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        refused(&site, expect!["the key [SITE]/keys/installation.json is open to others (mode 644); if nobody has read it, run `chmod 600` on it"]).await;
    });
}

/// Releases before 3.51.3 can lose committed writes when two processes write and checkpoint at once.
#[test]
fn sqlite_is_one_that_loses_no_writes() {
    let parts: Vec<u32> = rusqlite::version().split('.').map(|part| part.parse().unwrap()).collect();
    assert!(parts.as_slice() >= [3, 51, 3].as_slice(), "{parts:?}");
}

#[test]
fn a_ledger_that_was_left_and_not_closed_is_whole() {
    crate::site::run(async {
        let site = Site::sqlite();
        let ledger = site.open().await;
        ledger.append(at(0), Entry::new(Kind::Load, "ok", person())).await.unwrap();
        ledger.leave();
        assert!(fs::metadata(database(&site).with_extension("db-wal")).unwrap().len() > 0);
        let report = site.open().await.verify().await.unwrap();
        assert!(report.is_whole() && report.receipts() == 1, "{report:?}");
    });
}
