//! Checking records: their signatures, what they are found by, and that a receipt began each and ended those that have ended.

use guild_manifest::Digest;

use super::{Broken, Fault, Report, claimed_key};
use crate::database::Row;
use crate::key::{Purpose, Signature};
use crate::receipt::SignedReceipt;
use crate::record::{Lookup, said};
use crate::{
    Feedback, Grant, Ledger, Registration, Request, Secret, StoreError, Suppression, Timestamp, Token,
};

/// Checks every record of the ledger.
pub(super) async fn verify(ledger: &Ledger, report: &mut Report) -> Result<(), StoreError> {
    let sql = "SELECT r.id, r.installation, r.body, r.signature, r.kind, r.agent, r.skill, r.digest, r.expires, r.ended, \
               b.body, e.id, i.public_key FROM records r \
               LEFT JOIN receipts b ON b.begins = r.id LEFT JOIN receipts e ON e.ends = r.id \
               LEFT JOIN installations i ON i.id = r.installation \
               WHERE r.id > $1 ORDER BY r.id LIMIT 1024";
    let mut last = String::new();
    loop {
        let mut session = ledger.session().await?;
        let rows = session.many(sql, vec![last.as_str().into()]).await?;
        session.done();
        let Some(row) = rows.last() else { break };
        last = row.text(0)?;
        for row in &rows {
            report.records += 1;
            if let Some(fault) = fault_of(row)? {
                let (id, installation) = (Some(row.text(0)?), row.text(1)?);
                report.fault(Broken { installation, id, seq: None, fault });
            }
        }
    }
    missing(ledger, report).await
}

fn fault_of(row: &Row) -> Result<Option<Fault>, StoreError> {
    let (id, installation, text) = (row.text(0)?, row.text(1)?, row.text(2)?);
    let digest = Digest::of(text.as_bytes());
    let Some(key) = row.optional_text(12)?.and_then(|key| claimed_key(&installation, &key)) else {
        return Ok(Some(Fault::KeyUnknown));
    };
    let signature = row.text(3)?.parse::<Signature>();
    if !signature.is_ok_and(|signature| key.verifies(Purpose::Record, &digest, &signature)) {
        return Ok(Some(Fault::RecordEdited));
    }
    let begun = row.optional_text(10)?.and_then(|text| SignedReceipt::read(text, String::new()));
    let began = begun.and_then(|receipt| receipt.receipt.begins);
    if !began.is_some_and(|reference| reference.id == id && reference.digest == digest) {
        return Ok(Some(Fault::RecordUnknown));
    }
    let ended_as_marked = row.optional_text(9)? == row.optional_text(11)?;
    let found_as_said = columns_said(&row.text(4)?, &text) == Some(columns_found(row)?);
    Ok((!ended_as_marked || !found_as_said).then_some(Fault::RecordColumnsEdited))
}

/// What a record is found by.
type Found = (String, Option<String>, Option<String>, Option<String>, Option<u64>);

fn columns_found(row: &Row) -> Result<Found, StoreError> {
    let expires = row.optional_number(8)?;
    Ok((row.text(0)?, row.optional_text(5)?, row.optional_text(6)?, row.optional_text(7)?, expires))
}

/// What a record of this kind has to be found by, from its text.
fn columns_said(kind: &str, text: &str) -> Option<Found> {
    let owned = |lookup: Lookup<'_>| {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let digest = lookup.digest.map(|digest| digest.to_string());
        (lookup.id, text(lookup.agent), text(lookup.skill), digest, lookup.expires.map(Timestamp::millis))
    };
    match kind {
        "grant" | "deny" => said::<Grant, _>(kind, text, owned),
        "request" => said::<Request, _>(kind, text, owned),
        "token" => said::<Token, _>(kind, text, owned),
        "registration" => said::<Registration, _>(kind, text, owned),
        "secret" => said::<Secret, _>(kind, text, owned),
        "feedback" => said::<Feedback, _>(kind, text, owned),
        "suppression" => said::<Suppression, _>(kind, text, owned),
        _ => None,
    }
}

/// Finds receipts whose record is gone.
async fn missing(ledger: &Ledger, report: &mut Report) -> Result<(), StoreError> {
    let sql = "SELECT r.installation, r.begins, r.id FROM receipts r LEFT JOIN records x ON x.id = r.begins \
               WHERE r.begins IS NOT NULL AND x.id IS NULL ORDER BY r.begins LIMIT 1024";
    let mut session = ledger.session().await?;
    let rows = session.many(sql, vec![]).await?;
    session.done();
    for row in rows {
        let fault = Fault::RecordMissing { by: row.text(2)? };
        report.fault(Broken { installation: row.text(0)?, id: row.optional_text(1)?, seq: None, fault });
    }
    Ok(())
}
