//! Reading the registry: states from their signed records, values and events from the tables.
//!
//! A value counts only where the state says that it is set to it.

use guild_manifest::Digest;

use super::{REGISTRATION, Registration};
use crate::chain::Writing;
use crate::record;
use crate::{Ledger, StoreError};

/// A value that is set for a plugin, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigValue {
    /// Its key.
    pub key: String,
    /// The value, or its encrypted form.
    pub value: String,
    /// Whether it is the latter.
    pub encrypted: bool,
    /// Since when it is so.
    pub updated_at: String,
}

/// Something that happened to a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginEvent {
    /// The id of its receipt.
    pub id: String,
    /// What happened.
    pub event_type: String,
    /// The same in a few words.
    pub details: String,
    /// Who did it.
    pub user_id: String,
    /// When.
    pub created_at: String,
}

impl Ledger {
    /// Everything that is registered by this installation, by name.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn registrations(&self) -> Result<Vec<Registration>, StoreError> {
        let mut session = self.session().await?;
        let mut found = record::own::<Registration>(self, &mut session, REGISTRATION).await?;
        session.done();
        found.sort_by(|a, b| (&a.subject.name, &a.plugin).cmp(&(&b.subject.name, &b.plugin)));
        Ok(found)
    }

    /// The values that are set for a plugin, by key.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn plugin_config(&self, state: &Registration) -> Result<Vec<ConfigValue>, StoreError> {
        let mut session = self.session().await?;
        let sql = "SELECT key, value, is_encrypted, updated_at FROM plugin_config \
                   WHERE installation = $1 AND plugin_id = $2 ORDER BY key";
        let values = vec![self.key.installation.as_str().into(), state.plugin.as_str().into()];
        let mut found = Vec::new();
        for row in session.rows(sql, values).await? {
            let (key, value, updated_at) = (row.text(0)?, row.text(1)?, row.text(3)?);
            found.push(ConfigValue { key, value, encrypted: row.integer(2)? != 0, updated_at });
        }
        session.done();
        found.retain(|value| state.says(value));
        Ok(found)
    }

    /// What has happened to a plugin since it was installed, the oldest first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn plugin_events(&self, plugin: &str) -> Result<Vec<PluginEvent>, StoreError> {
        let mut session = self.session().await?;
        let sql = "SELECT id, event_type, details, user_id, created_at FROM plugin_events \
                   WHERE installation = $1 AND plugin_id = $2 ORDER BY id";
        let values = vec![self.key.installation.as_str().into(), plugin.into()];
        let mut events = Vec::new();
        for row in session.rows(sql, values).await? {
            let (id, event_type, details) = (row.text(0)?, row.text(1)?, row.text(2)?);
            events.push(PluginEvent {
                id,
                event_type,
                details,
                user_id: row.text(3)?,
                created_at: row.text(4)?,
            });
        }
        session.done();
        Ok(events)
    }
}

impl Registration {
    /// Whether a value is what this state says it is.
    pub(crate) fn says(&self, value: &ConfigValue) -> bool {
        let said = self.config.get(&value.key);
        said.is_some_and(|said| {
            said.digest == Digest::of(value.value.as_bytes()) && said.encrypted == value.encrypted
        })
    }
}

impl Writing<'_> {
    /// Everything that is registered by this installation.
    pub(super) async fn registered(&mut self) -> Result<Vec<Registration>, StoreError> {
        record::own(self.ledger, &mut self.session, REGISTRATION).await
    }
}
