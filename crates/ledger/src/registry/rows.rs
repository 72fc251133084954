//! What a registration looks like as a row of `plugins`.

use super::{Registration, Switch};
use crate::Principal;
use crate::chain::{WriteError, Writing, check_name};
use crate::database::Value;

/// The columns of `plugins` after the installation, in order.
pub(crate) fn columns(state: &Registration) -> Vec<Option<String>> {
    let subject = &state.subject;
    let switch = |tell: fn(&Switch) -> String| state.enabled.as_ref().map(tell);
    vec![
        Some(state.plugin.clone()),
        Some(subject.kind.as_str().to_owned()),
        Some(subject.name.clone()),
        subject.description.clone(),
        subject.version.clone(),
        Some(subject.source.clone()),
        Some(subject.source_type.as_str().to_owned()),
        subject.resolved.clone(),
        subject.digest.map(|digest| digest.to_string()),
        Some(subject.place.clone()),
        Some(subject.capabilities.join(",")),
        Some(subject.required_env.join(",")),
        Some(state.status.as_str().to_owned()),
        state.reason.clone(),
        switch(|switch| user(&switch.by)),
        switch(|switch| switch.at.to_string()),
        Some(state.installed_at.to_string()),
        Some(state.updated_at.to_string()),
        Some(state.id.to_string()),
    ]
}

/// Who did something, as the tables have it.
pub(super) fn user(principal: &Principal) -> String {
    format!("{}:{}", principal.kind.as_str(), principal.agent)
}

impl Writing<'_> {
    /// Writes the row of a state over the one before.
    pub(super) async fn put_row(&mut self, state: &Registration) -> Result<(), WriteError> {
        let columns = columns(state);
        for column in &columns {
            check_name("the registration", column.as_deref())?;
        }
        let sql = "INSERT INTO plugins (installation, id, kind, name, description, version, source, source_type, resolved, digest, \
                   place, capabilities, required_env_vars, status, status_reason, enabled_by, enabled_at, installed_at, updated_at, record) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) \
                   ON CONFLICT (installation, id) DO UPDATE SET kind = excluded.kind, name = excluded.name, \
                   description = excluded.description, version = excluded.version, source = excluded.source, \
                   source_type = excluded.source_type, resolved = excluded.resolved, digest = excluded.digest, \
                   place = excluded.place, capabilities = excluded.capabilities, required_env_vars = excluded.required_env_vars, \
                   status = excluded.status, status_reason = excluded.status_reason, enabled_by = excluded.enabled_by, \
                   enabled_at = excluded.enabled_at, installed_at = excluded.installed_at, updated_at = excluded.updated_at, \
                   record = excluded.record";
        let mut values: Vec<Value> = vec![self.ledger.key.installation.as_str().into()];
        values.extend(columns.into_iter().map(Value::from));
        self.session.execute(sql, values).await?;
        Ok(())
    }

    /// Removes a plugin's rows: events, values and itself.
    pub(super) async fn remove_rows(&mut self, plugin: &str) -> Result<(), WriteError> {
        let values = || vec![self.ledger.key.installation.as_str().into(), plugin.into()];
        let statements = [
            "DELETE FROM plugin_events WHERE installation = $1 AND plugin_id = $2",
            "DELETE FROM plugin_config WHERE installation = $1 AND plugin_id = $2",
            "DELETE FROM plugins WHERE installation = $1 AND id = $2",
        ];
        let values = [values(), values(), values()];
        for (sql, values) in statements.into_iter().zip(values) {
            self.session.execute(sql, values).await?;
        }
        Ok(())
    }
}
