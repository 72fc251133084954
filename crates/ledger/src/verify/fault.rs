//! What can be wrong with a ledger, and the report of it.
//!
//! A fault names the receipt or record where it was found. The first thousand are listed and the rest are counted.

use crate::{InstallationId, ReceiptId};

/// How many faults are listed.
const LISTED: usize = 1000;

/// What was checked and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The chains that were checked.
    pub chains: Vec<ChainReport>,
    /// How many grants, requests, tokens, suppressions and registrations were checked.
    pub records: u64,
    /// What is wrong, in the order in which it was found.
    pub broken: Vec<Broken>,
    /// How many more faults there are.
    pub more: u64,
}

/// One chain that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// Whose chain it is.
    pub installation: InstallationId,
    /// How many receipts it has.
    pub receipts: u64,
    /// The number of the last receipt that the head remembers; none where no head is known here, so that nobody can say
    /// whether the end is missing.
    pub head: Option<u64>,
    /// The receipts by which people accepted that the end was lost at some time.
    pub cuts: Vec<ReceiptId>,
}

/// One fault and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Whose chain or record it is.
    pub installation: String,
    /// The id of the receipt or record, where it is known.
    pub id: Option<String>,
    /// The number of the receipt.
    pub seq: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text was changed after it was signed.
    #[error("its text was changed after it was signed")]
    Edited,
    /// The text is what it was, and the signature is not the installation's.
    #[error("its signature is not the installation's")]
    SignatureInvalid,
    /// There is no receipt in it, or a newer program wrote it.
    #[error("it cannot be read")]
    Unreadable,
    /// It says that it belongs elsewhere.
    #[error("it stands in the place of another: it says that it is number {says} of {whose}")]
    Misplaced {
        /// The number it says.
        says: u64,
        /// The installation it says.
        whose: String,
    },
    /// It does not follow the one before.
    #[error("it does not follow the receipt before it")]
    NotFollowing,
    /// Receipts are gone.
    #[error("receipts {from} to {to} are missing")]
    Missing {
        /// The first that is gone.
        from: u64,
        /// The last that is gone.
        to: u64,
    },
    /// What it can be found by is not what it says.
    #[error("the database finds it by something that it does not say")]
    ColumnsEdited,
    /// The end is gone.
    #[error("the end is missing: {acknowledged} receipts were acknowledged and {found} are there")]
    TailCut {
        /// How many there have been.
        acknowledged: u64,
        /// How many there are.
        found: u64,
    },
    /// It is not the receipt that was acknowledged.
    #[error("it is not the receipt that was acknowledged")]
    HeadMismatch,
    /// No head remembers how far the chain had come.
    #[error("the head is missing, so that nobody can say whether the end is")]
    HeadMissing,
    /// The head is not one that the installation has signed.
    #[error("the head cannot be read, so that nobody can say whether the end is missing")]
    HeadUnreadable,
    /// The key is missing, or is another installation's.
    #[error("the installation's key is missing or not its own")]
    KeyUnknown,
    /// The file says another key than the one that was expected.
    #[error("another key than the expected one has signed this")]
    KeyUnexpected,
    /// A record's text or signature is not the installation's.
    #[error("the record was changed after it was signed")]
    RecordEdited,
    /// A receipt brought a record into force that is gone.
    #[error("the record that receipt {by} brought into force is missing")]
    RecordMissing {
        /// The receipt.
        by: String,
    },
    /// No receipt brought the record into force.
    #[error("no receipt has brought the record into force")]
    RecordUnknown,
    /// The database finds the record by something it does not say, or says wrongly whether it has ended.
    #[error(
        "the database finds the record by something that it does not say, or says wrongly whether it has ended"
    )]
    RecordColumnsEdited,
    /// A row of the registry, a value or an event is not what the signed state says, or is missing.
    #[error("the registry's rows are not what its signed record says")]
    RegistryEdited,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_whole(&self) -> bool {
        self.broken.is_empty()
    }

    /// How many receipts were checked.
    pub fn receipts(&self) -> u64 {
        self.chains.iter().map(|chain| chain.receipts).sum()
    }

    pub(crate) fn fault(&mut self, broken: Broken) {
        if self.broken.len() < LISTED {
            self.broken.push(broken);
        } else {
            self.more += 1;
        }
    }
}

impl Broken {
    pub(crate) fn of_chain(installation: &str, fault: Fault) -> Self {
        Self { installation: installation.to_owned(), id: None, seq: None, fault }
    }
}

impl Fault {
    /// A stable word for it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::SignatureInvalid => "signature_invalid",
            Self::Unreadable => "unreadable",
            Self::Misplaced { .. } => "misplaced",
            Self::NotFollowing => "not_following",
            Self::Missing { .. } => "missing",
            Self::ColumnsEdited => "columns_edited",
            Self::TailCut { .. } => "tail_cut",
            Self::HeadMismatch => "head_mismatch",
            Self::HeadMissing => "head_missing",
            Self::HeadUnreadable => "head_unreadable",
            Self::KeyUnknown => "key_unknown",
            Self::KeyUnexpected => "key_unexpected",
            Self::RecordEdited => "record_edited",
            Self::RecordMissing { .. } => "record_missing",
            Self::RecordUnknown => "record_unknown",
            Self::RecordColumnsEdited => "record_columns_edited",
            Self::RegistryEdited => "registry_edited",
        }
    }
}
