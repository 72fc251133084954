//! Guildhall over HTTP: the listener, who is let in, from where, and how much of it at once.
//!
//! What is asked is answered by what is mounted here; this crate knows no protocol but HTTP and decides nothing else. It binds to
//! the loopback unless told otherwise, and lets nobody in without a token or a session, there neither.

mod answer;
mod crowd;
mod form;
mod front;
mod listener;
mod live;
mod login;
mod names;
mod page;
mod rate;
mod session;
mod settings;
mod site;

pub use listener::Listener;
pub use session::Session;
pub use settings::{Limits, Settings};
pub use site::Site;
