//! Guildhall over HTTP: the listener, who is let in, from where, and how much of it at once.
//!
//! What is asked is answered by what is mounted here; this crate knows no protocol but HTTP and decides nothing else. It binds to
//! the loopback unless told otherwise, and lets nobody in without a token or a session, there neither.

mod answer;
mod api;
mod crowd;
mod form;
mod front;
mod journal;
mod listener;
mod live;
mod login;
mod metrics;
mod names;
mod page;
mod rate;
mod session;
mod settings;
mod site;

pub use api::{document, router as api};
pub use listener::Listener;
pub use session::Session;
pub use settings::{Limits, Settings};
pub use site::Site;
