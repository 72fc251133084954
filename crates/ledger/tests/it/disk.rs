//! Disks that are full or cannot be written to, and ledgers that somebody else holds.

use std::time::Duration;

use expect_test::{Expect, expect};
use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{Ledger, Location, Options, StoreError, WriteError};
use guild_testkit::Env;
use sqlx::{Connection, Executor, PgConnection};

use crate::on_both_databases;
use crate::site::{Site, at, person};
use crate::writer::{Orders, Task, said};

on_both_databases! {
    a_ledger_that_somebody_else_holds_is_busy
}

async fn a_ledger_that_somebody_else_holds_is_busy(site: Site) {
    let options = Options { patience: Duration::from_millis(50), ..site.options() };
    let ledger = Ledger::open(options).await.unwrap();
    let entry = || Entry::new(Kind::Load, "ok", person());
    ledger.append(at(0), entry()).await.unwrap();
    let error = match &site.location {
        Location::Sqlite(path) => {
            let holder = rusqlite::Connection::open(path).unwrap();
            holder.execute_batch("BEGIN IMMEDIATE").unwrap();
            ledger.append(at(1), entry()).await.unwrap_err()
        }
        Location::Postgres(url) => {
            let mut holder = PgConnection::connect(url).await.unwrap();
            holder.execute("BEGIN").await.unwrap();
            holder.execute("LOCK TABLE receipts IN EXCLUSIVE MODE").await.unwrap();
            ledger.append(at(1), entry()).await.unwrap_err()
        }
    };
    assert!(matches!(error, WriteError::Store(StoreError::Busy)), "{error:?}");
    // The holder has let go by now, perhaps a moment later.
    let ledger = site.open().await;
    assert_eq!(ledger.append(at(2), entry()).await.unwrap().receipt.seq, 2);
}

/// Runs a writer behind some mounts of its own, which a shell makes, and compares what it says.
#[track_caller]
fn check(site: &Site, task: Task, mounts: &str, expect: &Expect) {
    let script = format!("cd '{}' && {mounts} && exec \"$@\"", site.path().display());
    let program = std::env::current_exe().unwrap();
    let before = ["--map-root-user", "--mount", "/bin/sh", "-c", &script, "sh", program.to_str().unwrap()];
    let env = Env::new("/usr/bin/unshare").with_var("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    let output = Orders::at(site, task).invocation(&env, &before).output();
    assert_eq!(output.code(), Some(0), "{output}");
    let place = site.path().to_str().unwrap();
    let shown =
        |words: &Vec<String>| words.join(" ").split_inclusive(place).next().unwrap().replace(place, "[SITE]");
    expect.assert_eq(&said(&output.stdout()).iter().map(shown).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_full_disk_stops_the_ledger_and_loses_nothing() {
    let mount = "mount -t tmpfs -o size=1m none .";
    check(
        &Site::sqlite(),
        Task::FillUp,
        mount,
        &expect![[r#"
        no space is left where the ledger lies
        again: no space is left where the ledger lies
        again: no space is left where the ledger lies
        again: no space is left where the ledger lies
        and goes on"#]],
    );
}

#[test]
fn a_disk_too_small_for_a_new_ledger_is_full() {
    let mounts = "mkdir data && mount -t tmpfs -o size=16k none data";
    check(&Site::sqlite(), Task::Try, mounts, &expect!["opening: no space is left where the ledger lies"]);
}

#[test]
fn a_ledger_on_a_read_only_disk_is_read_only() {
    let site = Site::sqlite();
    crate::site::run(async {
        let ledger = site.open().await;
        ledger.append(at(0), Entry::new(Kind::Load, "ok", person())).await.unwrap();
        ledger.leave();
    });
    let mounts = "mount --bind data data && mount -o remount,ro,bind data";
    check(&site, Task::Try, mounts, &expect!["writing: the ledger is read-only"]);
}

#[test]
fn a_ledger_that_was_closed_and_lies_on_a_read_only_disk_is_read_only() {
    let site = Site::sqlite();
    crate::site::run(async { site.open().await.close().await.unwrap() });
    let mounts = "mount --bind data data && mount -o remount,ro,bind data";
    check(&site, Task::Try, mounts, &expect!["opening: the ledger is read-only"]);
}

#[test]
fn a_read_only_disk_gets_no_new_ledger() {
    let mounts = "mkdir data && mount --bind data data && mount -o remount,ro,bind data";
    check(&Site::sqlite(), Task::Try, mounts, &expect!["opening: the ledger is read-only"]);
}

#[test]
fn a_head_that_cannot_be_written_is_an_error() {
    let site = Site::sqlite();
    crate::site::run(async {
        let ledger = site.open().await;
        ledger.append(at(0), Entry::new(Kind::Load, "ok", person())).await.unwrap();
        ledger.close().await.unwrap();
    });
    let mounts = "mount --bind heads heads && mount -o remount,ro,bind heads";
    check(&site, Task::Try, mounts, &expect!["writing: cannot use the chain's head [SITE]"]);
    crate::site::run(async {
        let report = site.open().await.verify().await.unwrap();
        assert!(report.is_whole() && report.receipts() == 2, "{report:?}");
    });
}

#[test]
fn a_read_only_postgres_is_read_only() {
    let server = guild_testkit::Postgres::start();
    crate::site::run(async {
        let site = Site::postgres(&server, "locked");
        site.open().await.close().await.unwrap();
        site.sql("ALTER DATABASE locked SET default_transaction_read_only = on").await;
        let ledger = site.open().await;
        let error = ledger.append(at(0), Entry::new(Kind::Load, "ok", person())).await.unwrap_err();
        assert!(matches!(error, WriteError::Store(StoreError::ReadOnly)), "{error:?}");
        assert!(ledger.verify().await.unwrap().is_whole());
    });
}
