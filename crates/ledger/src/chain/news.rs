//! Whether anybody else has written: the chain is longer than this process has left it.
//!
//! Other installations in the same database have chains of their own, and are not noticed here.

use std::sync::{Mutex, PoisonError};

use super::tail::Tail;
use crate::{Ledger, StoreError};

/// How far the chain had come when this process last wrote or looked, and whether others had written until then.
#[derive(Debug)]
pub(crate) struct News(Mutex<Heard>);

#[derive(Debug)]
struct Heard {
    seq: u64,
    is_news: bool,
}

impl Default for News {
    /// Whoever has not asked yet knows nothing.
    fn default() -> Self {
        Self(Mutex::new(Heard { seq: 0, is_news: true }))
    }
}

impl News {
    /// Notes where the chain ends before this process goes on.
    pub(super) fn find(&self, seq: u64) {
        self.change(|heard| heard.is_news |= heard.seq != seq);
    }

    /// Notes where this process has left it.
    pub(super) fn leave(&self, seq: u64) {
        self.change(|heard| heard.seq = seq);
    }

    fn take(&self, seq: u64) -> bool {
        self.find(seq);
        self.leave(seq);
        self.change(|heard| std::mem::take(&mut heard.is_news))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Heard) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Ledger {
    /// Whether another process of this installation has written since this was last asked; true when it is asked first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn has_news(&self) -> Result<bool, StoreError> {
        let mut session = self.session().await?;
        let tail = Tail::read(&mut session, self).await?;
        let has_news = self.news.take(tail.seq);
        session.done();
        Ok(has_news)
    }
}
