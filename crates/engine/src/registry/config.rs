//! `plugins config`: what is set for a plugin, value by value.
//!
//! What a manifest's `settings` declare is held to their types, and a sensitive one is encrypted whether or not anybody asks for it.
//! An encrypted value is given to the plugin's hooks and approved servers, and to nobody else.

use std::collections::BTreeMap;

use guild_catalog::{PluginEntry, near};
use guild_ledger::{Arrival, Change, ConfigValue, Principal, Registration, Role, SubjectKind, Timestamp};
use guild_manifest::plugin::{Setting, SettingKind};
use serde_json::{Map, Value};

use super::subject::{Found, find};
use crate::cause::with_cause;
use crate::hall::Hall;
use crate::reply::{ConfigLine, PluginConfig};
use crate::resolve::Unresolved;
use crate::{Books, Code, Envelope, Refusal};

/// A value to be set.
#[derive(Debug, Clone, Copy)]
pub struct NewValue<'a> {
    /// Its key.
    pub key: &'a str,
    /// The value.
    pub value: &'a str,
    /// Whether it is kept encrypted.
    pub secret: bool,
}

/// What is set for a plugin: one key, or all.
pub async fn config_get(hall: &Hall, books: &Books, name: &str, key: Option<&str>) -> Envelope<PluginConfig> {
    let done = async {
        let entry = plugin(hall, name)?;
        let known = books.known(&Found::Plugin(entry)).await?;
        let values = match &known {
            Some(known) => books.values(known).await?,
            None => Vec::new(),
        };
        let values: Vec<ConfigValue> =
            values.into_iter().filter(|value| key.is_none_or(|key| value.key == key)).collect();
        match key.filter(|_| values.is_empty()) {
            Some(key) => Err(not_set(name, key)),
            None => Ok(reply(name, known.as_ref(), &values)),
        }
    };
    envelope(name, done.await)
}

/// Sets a value.
pub async fn config_set(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    (name, new): (&str, NewValue<'_>),
    by: Principal,
) -> Envelope<PluginConfig> {
    let done = async {
        books.authorise(now, &by, Role::Admin).await?;
        let entry = plugin(hall, name)?;
        let found = Found::Plugin(entry);
        let declared = check(entry, new)?;
        let known = match books.known(&found).await? {
            Some(known) => known,
            None => {
                let arrival = Arrival::Found(found.usual());
                let made = books.ledger.register(now, found.subject(), arrival, by.clone()).await;
                made.map_err(|error| books.registry_refusal(error))?.0
            }
        };
        let encrypted = new.secret || declared.is_some_and(|setting| setting.sensitive);
        let value = if encrypted {
            let sealed = books.ledger.seal(&context(&known, new.key), new.value);
            sealed.map_err(|error| Refusal::new(Code::SecretUnreadable, with_cause(&error)))?
        } else {
            new.value.to_owned()
        };
        let change = Change::Set { key: new.key.to_owned(), value, encrypted };
        books.configure(now, (&known, name, new.key), change, by).await
    };
    envelope(name, done.await)
}

/// Sets a value no more.
pub async fn config_unset(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    (name, key): (&str, &str),
    by: Principal,
) -> Envelope<PluginConfig> {
    let done = async {
        books.authorise(now, &by, Role::Admin).await?;
        let entry = plugin(hall, name)?;
        let known = books.known(&Found::Plugin(entry)).await?.ok_or_else(|| not_set(name, key))?;
        books.configure(now, (&known, name, key), Change::Unset { key: key.to_owned() }, by).await
    };
    envelope(name, done.await)
}

/// Everything that is set for a plugin, and what its manifest says of what is not; for the plugin alone.
pub(crate) async fn plugin_settings(
    hall: &Hall,
    books: &Books,
    name: &str,
) -> Result<BTreeMap<String, String>, Refusal> {
    let entry = plugin(hall, name)?;
    let known = books.known(&Found::Plugin(entry)).await?;
    let (open, secret) = books.settings(known.as_ref()).await?;
    let defaults = entry.plugin.settings.iter();
    let defaults =
        defaults.filter_map(|setting| Some((setting.key.clone(), setting.default.as_ref()?.to_json())));
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Ok(defaults.chain(open).chain(secret).map(|(key, value)| (key, text(value))).collect())
}

impl Books {
    async fn configure(
        &self,
        now: Timestamp,
        (known, name, key): (&Registration, &str, &str),
        change: Change,
        by: Principal,
    ) -> Result<PluginConfig, Refusal> {
        let changed = self.ledger.change(now, &known.plugin, change, by).await;
        let (state, receipt) = changed.map_err(|error| self.registry_refusal(error))?;
        let values: Vec<ConfigValue> =
            self.values(&state).await?.into_iter().filter(|value| value.key == key).collect();
        let receipt = Some(receipt.receipt.id.to_string());
        Ok(PluginConfig { receipt, ..reply(name, Some(&state), &values) })
    }

    async fn values(&self, known: &Registration) -> Result<Vec<ConfigValue>, Refusal> {
        self.ledger.plugin_config(known).await.map_err(|error| self.refusal(error))
    }

    /// What a plugin's hooks are told: values that anybody may see, and values that nobody else may.
    pub(super) async fn settings(
        &self,
        known: Option<&Registration>,
    ) -> Result<(Map<String, Value>, Map<String, Value>), Refusal> {
        let (mut open, mut secret) = (Map::new(), Map::new());
        let Some(known) = known else { return Ok((open, secret)) };
        for value in self.values(known).await? {
            if value.encrypted {
                let text = self.ledger.unseal(&context(known, &value.key), &value.value);
                let text = text.map_err(|error| Refusal::new(Code::SecretUnreadable, with_cause(&error)))?;
                secret.insert(value.key, text.into());
            } else {
                open.insert(value.key, value.value.into());
            }
        }
        Ok((open, secret))
    }
}

fn plugin<'h>(hall: &'h Hall, name: &str) -> Result<&'h PluginEntry, Refusal> {
    match find(hall, name, Some(SubjectKind::Plugin)) {
        Ok(Found::Plugin(entry)) => Ok(entry),
        Ok(Found::Skill(_)) => Err(Refusal::new(Code::PluginNotFound, format!("`{name}` is no plugin"))),
        Err(Unresolved { code, message, .. }) => Err(Refusal::new(code, message)),
    }
}

/// What the manifest declares of a key, if a value fits it. A plugin that declares no settings takes any.
fn check<'p>(entry: &'p PluginEntry, new: NewValue<'_>) -> Result<Option<&'p Setting>, Refusal> {
    let settings = &entry.plugin.settings;
    let invalid = |message: String| Refusal::new(Code::SettingInvalid, message);
    if new.key.is_empty() || new.key.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err(invalid("a key is one word".to_owned()));
    }
    if settings.is_empty() {
        return Ok(None);
    }
    let Some(setting) = settings.iter().find(|setting| setting.key == new.key) else {
        let names = near(new.key, settings.iter().map(|setting| setting.key.clone()));
        let hint = if names.is_empty() { settings.iter().map(|it| it.key.clone()).collect() } else { names };
        let (plugin, key) = (&entry.plugin.name, new.key);
        let message = format!("plugin `{plugin}` has no setting `{key}`; it has `{}`", hint.join("`, `"));
        return Err(invalid(message));
    };
    let what = match setting.kind {
        SettingKind::Number if new.value.parse::<f64>().is_err() => "a number",
        SettingKind::Boolean if !matches!(new.value, "true" | "false") => "`true` or `false`",
        _ => return Ok(Some(setting)),
    };
    Err(invalid(format!("the setting `{}` takes {what}", new.key)))
}

fn context(known: &Registration, key: &str) -> String {
    format!("plugin {}\n{key}", known.plugin)
}

fn not_set(name: &str, key: &str) -> Refusal {
    Refusal::new(Code::ConfigNotSet, format!("`{key}` is not set for plugin `{name}`"))
}

fn reply(name: &str, known: Option<&Registration>, values: &[ConfigValue]) -> PluginConfig {
    PluginConfig {
        name: name.to_owned(),
        id: known.map(|known| known.plugin.clone()),
        values: values.iter().map(ConfigLine::of).collect(),
        receipt: None,
    }
}

fn envelope(name: &str, done: Result<PluginConfig, Refusal>) -> Envelope<PluginConfig> {
    match done {
        Ok(reply) => Envelope::ok(reply),
        Err(refusal) => {
            let reply = PluginConfig { name: name.to_owned(), ..PluginConfig::default() };
            Envelope::error(refusal.code, refusal.message, reply)
        }
    }
}
