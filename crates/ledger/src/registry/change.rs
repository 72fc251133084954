//! Changing the registry: each change is a person's, one transaction, and leaves a receipt that the events repeat.
//!
//! What follows from a change, such as running a hook, is done above, before or after it.

use guild_manifest::Digest;

use super::begin::Beginning;
use super::known::Known;
use super::rows::user;
use super::{Configured, EventType, Registration, Status, Subject, Switch};
use crate::chain::{Links, WriteError, Writing, bounded, check_name};
use crate::entropy::NoEntropy;
use crate::receipt::{SignedReceipt, SkillRef};
use crate::record::{NotAPerson, decision, person};
use crate::{Ledger, Principal, StoreError, Timestamp};

/// How something comes into the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Somebody has decided whether it is on.
    Decided(Status),
    /// It was found, on or off by itself; nobody has switched it.
    Found(Status),
}

/// Something that changes about what is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is on, for everybody that it is not off for.
    Enable,
    /// It is off, for everybody.
    Disable,
    /// It is off, because it could not be switched on or off.
    Fail {
        /// Why.
        reason: String,
    },
    /// It is no longer off for this agent.
    EnableFor(String),
    /// It is off for this agent.
    DisableFor(String),
    /// A value is set, as it is to be kept.
    Set {
        /// Its key.
        key: String,
        /// The value, or its encrypted form.
        value: String,
        /// Whether it is the latter.
        encrypted: bool,
    },
    /// A value is set no more.
    Unset {
        /// Its key.
        key: String,
    },
}

/// Why the registry is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Nothing of this id is registered.
    #[error("nothing is registered as {id}")]
    NotRegistered {
        /// The id.
        id: String,
    },
    /// The key is not set.
    #[error("`{key}` is not set")]
    NotSet {
        /// The key.
        key: String,
    },
    /// Only people decide.
    #[error("an agent cannot decide this; it takes a person")]
    NotAPerson,
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What came of a change.
pub(super) type Changed = (Registration, SignedReceipt);

impl Ledger {
    /// Registers a skill or plugin that has come, or that has another version now. `arrival` counts for one that is new; what is
    /// known keeps its state and its values. Whatever else was registered at the same place is gone.
    ///
    /// # Errors
    /// Where no person decides, or where it was not written.
    pub async fn register(
        &self,
        now: Timestamp,
        subject: Subject,
        arrival: Arrival,
        by: Principal,
    ) -> Result<Changed, RegistryError> {
        person(&by).map_err(|NotAPerson| RegistryError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let changed = writing.register(subject, arrival, &by).await;
        writing.finish(changed).await
    }

    /// Forgets a skill or plugin: its rows are removed, and the receipt of that stays.
    ///
    /// # Errors
    /// Where nothing of this id is registered, where no person decides, or where it was not written.
    pub async fn unregister(
        &self,
        now: Timestamp,
        id: &str,
        by: Principal,
    ) -> Result<SignedReceipt, RegistryError> {
        person(&by).map_err(|NotAPerson| RegistryError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let removed = writing.unregister(id, &by).await;
        writing.finish(removed).await
    }

    /// Changes something about what is registered.
    ///
    /// # Errors
    /// Where nothing of this id is registered, where no person decides, or where it was not written.
    pub async fn change(
        &self,
        now: Timestamp,
        id: &str,
        change: Change,
        by: Principal,
    ) -> Result<Changed, RegistryError> {
        person(&by).map_err(|NotAPerson| RegistryError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let changed = writing.change(id, change, &by).await;
        writing.finish(changed).await
    }
}

impl Writing<'_> {
    /// Makes a change durable, or leaves everything as it was.
    pub(super) async fn finish<T>(self, done: Result<T, RegistryError>) -> Result<T, RegistryError> {
        match done {
            Ok(done) => {
                self.commit().await?;
                Ok(done)
            }
            Err(RegistryError::Write(error)) => Err(error.into()),
            Err(refusal) => {
                self.abandon().await?;
                Err(refusal)
            }
        }
    }

    async fn register(
        &mut self,
        subject: Subject,
        arrival: Arrival,
        by: &Principal,
    ) -> Result<Changed, RegistryError> {
        let mut known = Known::of(self.registered().await?);
        let plugin = known.name(&subject);
        let (before, others) = known.take(&plugin, &subject.place);
        for other in others {
            self.forget(&other, by).await?;
        }
        let beginning = self.arrive(before, (plugin, subject, arrival), by)?;
        self.begin_one(beginning, by).await
    }

    /// The state of one that has come, where the one before is known.
    pub(super) fn arrive(
        &mut self,
        before: Option<Registration>,
        (plugin, subject, arrival): (String, Subject, Arrival),
        by: &Principal,
    ) -> Result<Beginning, RegistryError> {
        let (status, is_decided) = match arrival {
            Arrival::Decided(status) => (status, true),
            Arrival::Found(status) => (status, false),
        };
        let switch = Switch { by: by.clone(), at: self.now };
        let next = match &before {
            Some(known) => Registration { subject, ..known.clone() },
            None => Registration {
                id: self.issue()?,
                plugin,
                subject,
                status,
                reason: None,
                enabled: (is_decided && status == Status::Enabled).then_some(switch),
                off_for: Default::default(),
                config: Default::default(),
                installed_at: self.now,
                updated_at: self.now,
            },
        };
        let details = format!("{} from {}", next.subject.source_type.as_str(), next.subject.source);
        self.prepare(before, next, (EventType::Installed, details), by)
    }

    async fn unregister(&mut self, id: &str, by: &Principal) -> Result<SignedReceipt, RegistryError> {
        let known = self.known(id).await?;
        self.forget(&known, by).await
    }

    /// Removes the rows of something that is registered, and leaves a receipt of that.
    pub(super) async fn forget(
        &mut self,
        known: &Registration,
        by: &Principal,
    ) -> Result<SignedReceipt, RegistryError> {
        self.remove_rows(&known.plugin).await?;
        let mut entry = decision(EventType::Uninstalled.as_str(), by.clone());
        entry.skill = Some(SkillRef { name: known.subject.name.clone(), security_hash: None });
        entry.note = Some(format!("{} from {}", known.plugin, known.subject.source));
        let links = Links { ends: Some(known.id.to_string()), ..Links::default() };
        Ok(self.append(entry, links).await?)
    }

    async fn change(&mut self, id: &str, change: Change, by: &Principal) -> Result<Changed, RegistryError> {
        let known = self.known(id).await?;
        let mut next = known.clone();
        let event = next.apply(&change, &Switch { by: by.clone(), at: self.now })?;
        if let Change::Set { key, value, encrypted } = change {
            check_name("the key", Some(&key))?;
            check_name("the value", Some(&value))?;
            let sql = "INSERT INTO plugin_config (installation, plugin_id, key, value, is_encrypted, updated_at) \
                       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (installation, plugin_id, key) \
                       DO UPDATE SET value = excluded.value, is_encrypted = excluded.is_encrypted, updated_at = excluded.updated_at";
            let (installation, at) = (self.ledger.key.installation.as_str().into(), self.now.to_string());
            let value = bounded(value)?.into();
            let values =
                vec![installation, id.into(), key.into(), value, i64::from(encrypted).into(), at.into()];
            self.session.execute(sql, values).await?;
        } else if let Change::Unset { key } = change {
            let sql = "DELETE FROM plugin_config WHERE installation = $1 AND plugin_id = $2 AND key = $3";
            let values = vec![self.ledger.key.installation.as_str().into(), id.into(), key.into()];
            self.session.execute(sql, values).await?;
        }
        let beginning = self.prepare(Some(known), next, event, by)?;
        self.begin_one(beginning, by).await
    }

    async fn known(&mut self, id: &str) -> Result<Registration, RegistryError> {
        let known = self.registered().await?.into_iter().find(|known| known.plugin == id);
        known.ok_or_else(|| RegistryError::NotRegistered { id: id.to_owned() })
    }
}

impl Registration {
    /// Takes a change on, and says what happened.
    fn apply(&mut self, change: &Change, switch: &Switch) -> Result<(EventType, String), RegistryError> {
        let whom = user(&switch.by);
        match change {
            Change::Enable => {
                (self.status, self.reason) = (Status::Enabled, None);
                self.enabled = Some(switch.clone());
                Ok((EventType::Enabled, format!("by {whom}")))
            }
            Change::Disable => {
                (self.status, self.reason, self.enabled) = (Status::Disabled, None, None);
                Ok((EventType::Disabled, format!("by {whom}")))
            }
            Change::Fail { reason } => {
                (self.status, self.reason) = (Status::Error, Some(reason.clone()));
                self.enabled = None;
                Ok((EventType::Error, reason.clone()))
            }
            Change::EnableFor(agent) => {
                self.off_for.remove(agent);
                Ok((EventType::Enabled, format!("for agent {agent} by {whom}")))
            }
            Change::DisableFor(agent) => {
                self.off_for.insert(agent.clone(), switch.clone());
                Ok((EventType::Disabled, format!("for agent {agent} by {whom}")))
            }
            Change::Set { key, value, encrypted } => {
                let (encrypted, digest) = (*encrypted, Digest::of(value.as_bytes()));
                self.config.insert(key.clone(), Configured { encrypted, digest, at: switch.at });
                Ok((EventType::Configured, format!("{key} set by {whom}")))
            }
            Change::Unset { key } => match self.config.remove(key) {
                Some(_) => Ok((EventType::Configured, format!("{key} unset by {whom}"))),
                None => Err(RegistryError::NotSet { key: key.clone() }),
            },
        }
    }
}

impl From<StoreError> for RegistryError {
    fn from(error: StoreError) -> Self {
        Self::Write(error.into())
    }
}

impl From<NoEntropy> for RegistryError {
    fn from(error: NoEntropy) -> Self {
        Self::Write(error.into())
    }
}
