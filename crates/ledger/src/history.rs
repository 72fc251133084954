//! Looking receipts up: one by its id, or many by what they are about, page by page, the newest first.
//!
//! What is shown is read from the signed text, and whether the text is whole is for `verify` to say.

use crate::database::Value;
use crate::receipt::{Kind, SignedReceipt};
use crate::{Ledger, ReceiptId, RunId, StoreError, Timestamp};

/// The most receipts of one page.
pub const MAX_PAGE: usize = 1000;

/// What receipts have to be about; every field that is set has to fit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// The kind. Nothing finds receipts by it alone, so that where it is rare many others are looked at.
    pub kind: Option<Kind>,
    /// The skill's qualified name.
    pub skill: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The code.
    pub code: Option<String>,
    /// The run.
    pub run: Option<RunId>,
    /// The earliest moment.
    pub since: Option<Timestamp>,
}

/// Some receipts, the newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The receipts.
    pub receipts: Vec<SignedReceipt>,
    /// The ids of those that cannot be read: they are damaged, or a newer program has written them.
    pub unreadable: Vec<String>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

/// How many receipts of one kind and code there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The kind.
    pub kind: String,
    /// The code.
    pub code: String,
    /// How many.
    pub count: u64,
    /// The number of the last of them.
    pub last: u64,
}

impl Ledger {
    /// How many receipts of each kind and code this installation's chain has behind the one of this number.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn tally(&self, after: u64) -> Result<Vec<Tally>, StoreError> {
        let sql = "SELECT kind, code, COUNT(*), MAX(seq) FROM receipts WHERE installation = $1 AND seq > $2 GROUP BY kind, code ORDER BY kind, code";
        let mut session = self.session().await?;
        let rows = session.many(sql, vec![self.installation().to_string().into(), after.into()]).await?;
        session.done();
        let tally = |row: &crate::database::Row| {
            let (count, last) = (row.number(2)?, row.number(3)?);
            Ok(Tally { kind: row.text(0)?, code: row.text(1)?, count, last })
        };
        rows.iter().map(tally).collect()
    }

    /// A page of receipts that fit a filter. `cursor` is the `next` of the page before.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn receipts(
        &self,
        filter: &Filter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE);
        let (sql, values) = filter.query(cursor, limit + 1);
        let mut session = self.session().await?;
        let rows = session.many(sql, values).await?;
        session.done();
        let mut page = Page::default();
        for row in rows.iter().take(limit) {
            match SignedReceipt::read(row.text(1)?, row.text(2)?) {
                Some(receipt) => page.receipts.push(receipt),
                None => page.unreadable.push(row.text(0)?),
            }
        }
        if rows.len() > limit {
            page.next = rows.get(limit - 1).map(|row| row.text(0)).transpose()?;
        }
        Ok(page)
    }

    /// The receipt of this id.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn receipt(&self, id: ReceiptId) -> Result<Option<SignedReceipt>, StoreError> {
        let mut session = self.session().await?;
        let sql = "SELECT body, signature FROM receipts WHERE id = $1";
        let row = session.row(sql, vec![id.to_string().into()]).await?;
        session.done();
        match row {
            Some(row) => Ok(SignedReceipt::read(row.text(0)?, row.text(1)?)),
            None => Ok(None),
        }
    }
}

impl Filter {
    /// The statement that finds them: what is set becomes a condition, and values are always parameters.
    fn query(&self, cursor: Option<&str>, limit: usize) -> (String, Vec<Value>) {
        let since = self.since.map(|since| ReceiptId::first_of(since).to_string());
        let conditions = [
            ("kind =", self.kind.map(|kind| kind.as_str().to_owned())),
            ("skill =", self.skill.clone()),
            ("agent =", self.agent.clone()),
            ("code =", self.code.clone()),
            ("run =", self.run.map(|run| run.to_string())),
            ("id >=", since),
            ("id <", cursor.map(str::to_owned)),
        ];
        let mut sql = "SELECT id, body, signature FROM receipts".to_owned();
        let mut values = Vec::new();
        for (condition, value) in conditions {
            let Some(value) = value else { continue };
            values.push(value.into());
            let word = if values.len() == 1 { "WHERE" } else { "AND" };
            sql.push_str(&format!(" {word} {condition} ${}", values.len()));
        }
        sql.push_str(&format!(" ORDER BY id DESC LIMIT {limit}"));
        (sql, values)
    }
}
