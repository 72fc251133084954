//! Secrets are kept encrypted, and come back only whole, here and under their own name.

use guild_ledger::{SealError, SecretError};

use crate::on_both_databases;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    a_secret_is_kept_until_it_is_removed
    a_secret_is_nowhere_in_the_database
    agents_keep_no_secrets
    a_tampered_or_exchanged_secret_is_found_and_not_given
    a_neighbour_reads_nothing
}

async fn a_secret_is_kept_until_it_is_removed(site: Site) {
    let ledger = site.open().await;
    ledger.set_secret(at(0), "KEY", "one", person()).await.unwrap();
    ledger.set_secret(at(1), "KEY", "two", person()).await.unwrap();
    ledger.set_secret(at(2), "ANOTHER", "three\n", person()).await.unwrap();
    drop(ledger);
    let ledger = site.open().await;
    let names: Vec<_> =
        ledger.secrets().await.unwrap().into_iter().map(|secret| (secret.name, secret.at)).collect();
    assert_eq!(names, [("ANOTHER".to_owned(), at(2)), ("KEY".to_owned(), at(1))]);
    assert_eq!(ledger.secret("KEY").await.unwrap().as_deref(), Some("two"));
    assert_eq!(ledger.secret("ANOTHER").await.unwrap().as_deref(), Some("three\n"));
    ledger.remove_secret(at(3), "KEY", person()).await.unwrap();
    assert_eq!(ledger.secret("KEY").await.unwrap(), None);
    let error = ledger.remove_secret(at(4), "KEY", person()).await.unwrap_err();
    assert!(matches!(error, SecretError::NotFound { .. }), "{error}");
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn a_secret_is_nowhere_in_the_database(site: Site) {
    let ledger = site.open().await;
    let (secret, _) = ledger.set_secret(at(0), "KEY", "hunter2-hunter2", person()).await.unwrap();
    assert!(!format!("{secret:?}").contains("hunter2"));
    let mut file = Vec::new();
    ledger.export(at(1), ledger.installation(), &mut file).await.unwrap();
    assert!(!String::from_utf8(file).unwrap().contains("hunter2"));
    ledger.close().await.unwrap();
    if let guild_ledger::Location::Sqlite(path) = &site.location {
        let bytes = std::fs::read(path).unwrap();
        assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
    }
}

async fn agents_keep_no_secrets(site: Site) {
    let ledger = site.open().await;
    ledger.set_secret(at(0), "KEY", "one", person()).await.unwrap();
    let set = ledger.set_secret(at(1), "KEY", "two", agent("a")).await.map(drop);
    let removed = ledger.remove_secret(at(1), "KEY", agent("a")).await.map(drop);
    for error in [set, removed] {
        assert!(matches!(error, Err(SecretError::NotAPerson)), "{error:?}");
    }
    assert_eq!(ledger.secret("KEY").await.unwrap().as_deref(), Some("one"));
}

async fn a_tampered_or_exchanged_secret_is_found_and_not_given(site: Site) {
    let ledger = site.open().await;
    ledger.set_secret(at(0), "KEY", "one", person()).await.unwrap();
    ledger.set_secret(at(1), "OTHER", "two", person()).await.unwrap();
    let exchanged =
        "UPDATE secrets SET value = (SELECT value FROM secrets s WHERE s.name = 'OTHER') WHERE name = 'KEY'";
    for edit in [
        exchanged,
        "UPDATE secrets SET value = 'v1:00' WHERE name = 'KEY'",
        "DELETE FROM secrets WHERE name = 'KEY'",
    ] {
        site.sql(edit).await;
        let error = ledger.secret("KEY").await.unwrap_err();
        assert!(matches!(error, SecretError::Seal(SealError::NotOurs)), "{error}");
        let report = ledger.verify().await.unwrap();
        let found: Vec<_> =
            report.broken.iter().map(|broken| (broken.id.as_deref(), broken.fault.code())).collect();
        assert_eq!(found, [(Some("KEY"), "registry_edited")], "{edit}");
    }
    assert_eq!(ledger.secret("OTHER").await.unwrap().as_deref(), Some("two"));
    let sealed = ledger.seal("here", "text").unwrap();
    assert_eq!(ledger.unseal("here", &sealed).unwrap(), "text");
    assert_ne!(ledger.seal("here", "text").unwrap(), sealed, "each has a nonce of its own");
    assert!(ledger.unseal("there", &sealed).is_err());
    for at in 0..sealed.len() {
        let mut bytes = sealed.clone().into_bytes();
        bytes[at] ^= 1;
        let edited = String::from_utf8(bytes).unwrap();
        assert!(ledger.unseal("here", &edited).is_err(), "{at}");
    }
}

async fn a_neighbour_reads_nothing(site: Site) {
    let neighbour = site.neighbour();
    let (ours, theirs) = (site.open().await, neighbour.open().await);
    ours.set_secret(at(0), "KEY", "ours", person()).await.unwrap();
    assert_eq!(theirs.secret("KEY").await.unwrap(), None);
    theirs.set_secret(at(1), "KEY", "theirs", person()).await.unwrap();
    assert_eq!(ours.secret("KEY").await.unwrap().as_deref(), Some("ours"));
    let sealed = ours.seal("here", "text").unwrap();
    assert!(theirs.unseal("here", &sealed).is_err());
}
