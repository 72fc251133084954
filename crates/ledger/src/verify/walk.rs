//! Walking along a chain: numbers without gaps, each receipt following the one before, up to the head.
//!
//! One cause gives one fault: a receipt that was edited is reported, and not the one after it, which no longer follows.

use guild_manifest::Digest;

use super::{Broken, ChainReport, Checked, Fault, Report};
use crate::head::Head;
use crate::{PublicKey, ReceiptId};

/// A way along one chain.
pub(crate) struct Walk {
    installation: String,
    head: Option<Head>,
    chain: ChainReport,
    /// The number that comes next.
    next: u64,
    /// The digest that the next receipt has to repeat; unknown after a gap.
    previous: Option<Digest>,
    /// The last receipt, if its signature is wrong: whether it was edited shows in the next one.
    doubtful: Option<Checked>,
}

impl Walk {
    /// A walk from the beginning of the chain of `key`'s installation, past the `head` that is known of it.
    pub(crate) fn new(key: PublicKey, head: Option<Head>) -> Self {
        let installation = key.installation();
        let seq = head.as_ref().map(|head| head.seq);
        Self {
            installation: installation.to_string(),
            chain: ChainReport { installation, receipts: 0, head: seq, cuts: Vec::new() },
            head,
            next: 1,
            previous: Some(key.genesis()),
            doubtful: None,
        }
    }

    /// Goes on over some receipts.
    pub(crate) fn take_all(&mut self, receipts: Vec<Checked>, report: &mut Report) {
        for receipt in receipts {
            self.take(receipt, report);
        }
    }

    /// Ends the walk.
    pub(crate) fn finish(mut self, report: &mut Report) -> ChainReport {
        if let Some(doubtful) = self.doubtful.take() {
            let follows =
                self.head.as_ref().is_none_or(|head| head.seq != doubtful.seq || head.hash == doubtful.hash);
            self.doubt(&doubtful, follows, report);
        }
        if let Some(head) = self.head.as_ref().filter(|head| head.seq >= self.next) {
            let fault = Fault::TailCut { acknowledged: head.seq, found: self.next - 1 };
            report.fault(Broken::of_chain(&self.installation, fault));
        }
        self.chain
    }

    fn take(&mut self, mut receipt: Checked, report: &mut Report) {
        self.chain.receipts += 1;
        self.look_for_gap(&mut receipt, report);
        let follows = match (self.previous, receipt.previous) {
            (Some(expected), Some(said)) => expected == said,
            _ => true,
        };
        if let Some(doubtful) = self.doubtful.take() {
            self.doubt(&doubtful, follows, report);
        } else if !follows && receipt.faults.is_empty() {
            report.fault(self.broken(receipt.seq, receipt.id, Fault::NotFollowing));
        }
        self.compare_with_head(&receipt, report);
        // What an edited text says about its columns proves nothing.
        let proven = |fault: &&Fault| receipt.signed || **fault != Fault::ColumnsEdited;
        for fault in receipt.faults.iter().filter(proven) {
            report.fault(self.broken(receipt.seq, receipt.id, fault.clone()));
        }
        // What cannot be read or stands elsewhere is reported already, and says nothing about what follows.
        let in_place = receipt.faults.iter().all(|fault| *fault == Fault::ColumnsEdited);
        self.previous = in_place.then_some(receipt.hash);
        if receipt.is_cut && receipt.signed {
            self.chain.cuts.extend(receipt.id);
        }
        if in_place && !receipt.signed {
            self.doubtful = Some(receipt);
        }
    }

    /// Compares the receipt's number with the one that comes next.
    fn look_for_gap(&mut self, receipt: &mut Checked, report: &mut Report) {
        if receipt.seq > self.next {
            let fault = Fault::Missing { from: self.next, to: receipt.seq - 1 };
            report.fault(Broken::of_chain(&self.installation, fault));
            self.previous = None;
            if let Some(doubtful) = self.doubtful.take() {
                self.doubt(&doubtful, true, report);
            }
        }
        if receipt.seq < self.next {
            receipt.faults.push(Fault::Misplaced { says: receipt.seq, whose: self.installation.clone() });
        }
        self.next = self.next.max(receipt.seq.saturating_add(1));
    }

    fn compare_with_head(&self, receipt: &Checked, report: &mut Report) {
        let acknowledged = self.head.as_ref().filter(|head| head.seq == receipt.seq);
        if acknowledged.is_some_and(|head| head.hash != receipt.hash) && receipt.signed {
            report.fault(self.broken(receipt.seq, receipt.id, Fault::HeadMismatch));
        }
    }

    /// A receipt with a wrong signature that the next one follows is whole but for the signature.
    fn doubt(&self, receipt: &Checked, follows: bool, report: &mut Report) {
        let fault = if follows { Fault::SignatureInvalid } else { Fault::Edited };
        report.fault(self.broken(receipt.seq, receipt.id, fault));
    }

    fn broken(&self, seq: u64, id: Option<ReceiptId>, fault: Fault) -> Broken {
        let id = id.map(|id| id.to_string());
        Broken { installation: self.installation.clone(), id, seq: Some(seq), fault }
    }
}
