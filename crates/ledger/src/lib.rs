//! What has happened and what is allowed, so that nobody can rewrite it unseen.
//!
//! A [`Ledger`] keeps receipts, one chain an installation, each signed and holding the digest of the one before; and
//! grants, requests, tokens, suppressions, secrets and the registry of what is installed, each signed and begun by a receipt. Everything that is written is durable
//! before it is acknowledged. [`Ledger::verify`] finds every edit by whoever lacks the key.
//!
//! It is the only crate that speaks SQL. It decides nothing about skills, runs nothing, and reads no environment and no
//! clock: the time, the paths and whom to trust arrive as arguments. Random bytes come from the operating system.

mod chain;
mod cut;
mod database;
mod entropy;
mod export;
mod feedback;
mod files;
mod grant;
mod head;
mod history;
mod id;
mod key;
mod ledger;
mod location;
mod principal;
pub mod receipt;
mod record;
mod registry;
mod request;
mod run;
mod schema;
mod seal;
mod secret;
mod suppression;
mod timestamp;
mod token;
mod verify;

pub use chain::{MAX_TEXT, WriteError};
pub use cut::AcceptError;
pub use database::StoreError;
pub use entropy::NoEntropy;
pub use export::{ExportError, verify_export};
pub use feedback::{Ended, Feedback, FeedbackError, Judgement};
pub use grant::{Ask, GiveError, Grant, Mode, NewGrant, Standing};
pub use head::{Head, HeadError, SignedHead};
pub use history::{Filter, MAX_PAGE, Page, Tally};
pub use id::{
    FeedbackId, GrantId, NotAnId, ReceiptId, RegistrationId, RequestId, RunId, SecretId, SuppressionId,
    TokenId,
};
pub use key::{InstallationId, KeyError, NotAKey, PublicKey, mac};
pub use ledger::{Ledger, OpenError, Options};
pub use location::Location;
pub use principal::{DEFAULT_AGENT, Principal, PrincipalKind, Role, via};
pub use record::EndError;
pub use registry::{
    Arrival, Change, ConfigValue, Configured, EventType, PluginEvent, Registration, RegistryError,
    SourceType, Status, Subject, SubjectKind, Switch, plugin_id,
};
pub use request::{Answer, DecideError, Decided, Matter, RUN, Request, RequestState, State};
pub use run::{FinishError, StartError, Started};
pub use seal::SealError;
pub use secret::{Secret, SecretError};
pub use suppression::{SuppressError, Suppression, Warning};
pub use timestamp::{NotATimestamp, Timestamp};
pub use token::{Holder, Token, TokenError};
pub use verify::{Broken, ChainReport, Fault, Report};
