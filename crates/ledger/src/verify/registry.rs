//! Checking the tables of the registry and of secrets against the signed states: no row, value or event says anything else, and
//! none is missing.

use std::collections::{BTreeMap, BTreeSet};

use guild_manifest::Digest;

use super::{Broken, Fault, Report};
use crate::database::Row;
use crate::registry::columns;
use crate::{ConfigValue, Ledger, Registration, StoreError};

/// Checks the rows of this installation; others check theirs.
pub(super) async fn verify(ledger: &Ledger, report: &mut Report) -> Result<(), StoreError> {
    let states = ledger.registrations().await?;
    let rows = rows(ledger).await?;
    let known: BTreeMap<&str, &Registration> =
        states.iter().map(|state| (state.plugin.as_str(), state)).collect();
    let mut wrong: BTreeSet<String> = BTreeSet::new();
    for (id, row) in &rows {
        if known.get(id.as_str()).is_none_or(|state| columns(state) != *row) {
            wrong.insert(id.clone());
        }
    }
    wrong.extend(known.keys().filter(|id| !rows.contains_key(**id)).map(|id| (*id).to_owned()));
    for state in &states {
        if config_differs(ledger, state).await? || events_differ(ledger, state).await? {
            wrong.insert(state.plugin.clone());
        }
    }
    wrong.extend(secrets(ledger).await?);
    for id in wrong {
        let installation = ledger.installation().to_string();
        report.fault(Broken { installation, id: Some(id), seq: None, fault: Fault::RegistryEdited });
    }
    Ok(())
}

/// The secrets whose rows are not what was signed.
async fn secrets(ledger: &Ledger) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT name, value, updated_at, record FROM secrets WHERE installation = $1";
    let mut session = ledger.session().await?;
    let rows = session.many(sql, vec![ledger.installation().as_str().into()]).await?;
    session.done();
    let mut found: BTreeMap<String, (Digest, String, String)> = BTreeMap::new();
    for row in rows {
        let digest = Digest::of(row.text(1)?.as_bytes());
        found.insert(row.text(0)?, (digest, row.text(2)?, row.text(3)?));
    }
    let known = ledger.secrets().await?.into_iter();
    let known: BTreeMap<String, (Digest, String, String)> = known
        .map(|secret| (secret.name, (secret.digest, secret.at.to_string(), secret.id.to_string())))
        .collect();
    let names: BTreeSet<&String> = found.keys().chain(known.keys()).collect();
    Ok(names.into_iter().filter(|name| found.get(*name) != known.get(*name)).cloned().collect())
}

/// The rows of `plugins` by id.
async fn rows(ledger: &Ledger) -> Result<BTreeMap<String, Vec<Option<String>>>, StoreError> {
    let sql = "SELECT id, kind, name, description, version, source, source_type, resolved, digest, place, capabilities, \
               required_env_vars, status, status_reason, enabled_by, enabled_at, installed_at, updated_at, record \
               FROM plugins WHERE installation = $1";
    let mut session = ledger.session().await?;
    let rows = session.many(sql, vec![ledger.installation().as_str().into()]).await?;
    session.done();
    let row =
        |row: &Row| Ok((row.text(0)?, (0..19).map(|at| row.optional_text(at)).collect::<Result<_, _>>()?));
    rows.iter().map(row).collect()
}

/// Whether values are set that the state does not know, or the other way round.
async fn config_differs(ledger: &Ledger, state: &Registration) -> Result<bool, StoreError> {
    let values: Vec<ConfigValue> = ledger.plugin_config(state).await?;
    let sql = "SELECT count(*) FROM plugin_config WHERE installation = $1 AND plugin_id = $2";
    let found = count(ledger, sql, &state.plugin).await?;
    Ok(values.len() != state.config.len() || found != state.config.len() as u64)
}

/// Whether there is an event without a receipt that says the same, or none at all.
async fn events_differ(ledger: &Ledger, state: &Registration) -> Result<bool, StoreError> {
    let all = "SELECT count(*) FROM plugin_events WHERE installation = $1 AND plugin_id = $2";
    let told = "SELECT count(*) FROM plugin_events e JOIN receipts r ON r.id = e.id AND r.code = e.event_type \
                JOIN records b ON b.id = r.begins AND b.skill = e.plugin_id WHERE e.installation = $1 AND e.plugin_id = $2";
    let all = count(ledger, all, &state.plugin).await?;
    Ok(all == 0 || all != count(ledger, told, &state.plugin).await?)
}

async fn count(ledger: &Ledger, sql: &'static str, plugin: &str) -> Result<u64, StoreError> {
    let mut session = ledger.session().await?;
    let row = session.row(sql, vec![ledger.installation().as_str().into(), plugin.into()]).await?;
    session.done();
    row.map_or(Ok(0), |row| row.number(0))
}
