//! The reply of a way in to the page.

use schemars::JsonSchema;
use serde::Serialize;

/// `login`: a link to the page.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Login {
    /// The link, which opens the page once and within ten minutes; null where no server runs.
    pub link: Option<String>,
    /// Where the page is: `http://guild.localhost:7878`.
    pub page: Option<String>,
}
