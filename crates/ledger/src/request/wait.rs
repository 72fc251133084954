//! Waiting for an answer: the ledger is asked again and again, ever more rarely.
//!
//! It wakes nobody and is woken by nobody; the answer may come from another process or another host.

use std::time::Duration;

use super::{RequestState, State};
use crate::{Ledger, RequestId, StoreError, Timestamp};

const SHORTEST: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_secs(1);

impl Ledger {
    /// Waits until a request is answered or expires, or until `deadline`, and says what became of it; nothing if there is no
    /// such request. `clock` tells the time whenever it is asked.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn wait(
        &self,
        id: RequestId,
        deadline: Timestamp,
        clock: impl Fn() -> Timestamp + Send,
    ) -> Result<Option<RequestState>, StoreError> {
        let mut pause = SHORTEST;
        loop {
            let now = clock();
            let found = self.request(now, id).await?;
            let waits = found.as_ref().is_some_and(|found| found.state == State::Pending);
            if !waits || deadline <= now {
                return Ok(found);
            }
            let left = Duration::from_millis(deadline.millis() - now.millis());
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
}
