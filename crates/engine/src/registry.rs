//! The registry: what is installed, whether it is on, for whom it is off, and switching it.
//!
//! The ledger keeps it; discovery is told what is off by [`crate::Books::switches`]. What the configuration switches off stays off, whatever
//! the registry says. Getting things onto this machine is done elsewhere, and reported here.

mod ask;
mod cache;
mod checks;
mod claims;
mod config;
mod merged;
mod register;
mod subject;
mod switches;
mod toggle;

pub use ask::{is_management, perform_request};
pub use cache::{RegistryCache, TIME_TO_LIVE, Viewed};
pub(crate) use checks::can_be_missed;
pub(crate) use claims::Claims;
pub(crate) use config::plugin_settings;
pub use config::{NewValue, config_get, config_set, config_unset};
pub use merged::{SKILL_PRIORITY, merge, registry};
pub(crate) use merged::{
    gather, plugin_sections, plugin_that_counts, plugin_that_is_on, plugins_that_are_on, waits,
};
pub use register::{RegisterRequest, register, unregister};
pub(crate) use subject::{no_plugin, plugins};
pub use toggle::{ToggleRequest, toggle};
