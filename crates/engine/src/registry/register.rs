//! Telling the registry what has come and what has gone, for whoever installs and removes.
//!
//! Nothing is fetched, copied or deleted here, and no hook runs.

use guild_ledger::{
    Arrival, Principal, Registration, RegistryError, Role, SourceType, Status, Subject, SubjectKind,
    Timestamp,
};
use guild_manifest::Digest;
use std::path::Path;

use crate::{Books, Code, Refusal};

/// A skill or plugin that has come, or has another version now.
#[derive(Debug, Clone)]
pub struct RegisterRequest<'a> {
    /// A skill or a plugin.
    pub kind: SubjectKind,
    /// Its qualified name.
    pub name: &'a str,
    /// What it does.
    pub description: Option<&'a str>,
    /// Its version, as written.
    pub version: Option<&'a str>,
    /// By what way it came.
    pub source_type: SourceType,
    /// What was asked for.
    pub source: &'a str,
    /// What that was at the time: a commit, a version.
    pub resolved: Option<&'a str>,
    /// The digest of its files.
    pub digest: Option<Digest>,
    /// The directory or file that discovery finds it at.
    pub place: &'a Path,
    /// What it says it contributes.
    pub capabilities: Vec<String>,
    /// The variables that it cannot do without.
    pub required_env: Vec<String>,
    /// Whether it is on at once; what is known already keeps its state.
    pub enabled: bool,
}

/// Registers a skill or plugin. What is known keeps its state and its values.
///
/// # Errors
/// Where the caller may not, or where it was not written.
pub async fn register(
    books: &Books,
    now: Timestamp,
    request: RegisterRequest<'_>,
    by: Principal,
) -> Result<Registration, Refusal> {
    books.authorise(now, &by, Role::Admin).await?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let subject = Subject {
        kind: request.kind,
        name: request.name.to_owned(),
        description: owned(request.description),
        version: owned(request.version),
        source_type: request.source_type,
        source: request.source.to_owned(),
        resolved: owned(request.resolved),
        digest: request.digest,
        place: request.place.to_string_lossy().into_owned(),
        capabilities: request.capabilities,
        required_env: request.required_env,
    };
    let status = if request.enabled { Status::Enabled } else { Status::Disabled };
    let registered = books.ledger.register(now, subject, Arrival::Decided(status), by).await;
    registered.map(|(registration, _)| registration).map_err(|error| books.registry_refusal(error))
}

/// Forgets what lies at a place: its rows are removed, and one receipt stays. Nothing where nothing is known of it.
///
/// # Errors
/// Where the caller may not, or where it was not written.
pub async fn unregister(
    books: &Books,
    now: Timestamp,
    place: &Path,
    by: Principal,
) -> Result<Option<String>, Refusal> {
    books.authorise(now, &by, Role::Admin).await?;
    let place = place.to_string_lossy();
    let known = books.ledger.registrations().await.map_err(|error| books.refusal(error))?;
    let Some(known) = known.into_iter().find(|known| known.subject.place == place) else {
        return Ok(None);
    };
    let removed = books.ledger.unregister(now, &known.plugin, by).await;
    let receipt = removed.map_err(|error| books.registry_refusal(error))?;
    Ok(Some(receipt.receipt.id.to_string()))
}

impl Books {
    /// What to say where the registry did not do what it was asked.
    pub(crate) fn registry_refusal(&self, error: RegistryError) -> Refusal {
        let message = error.to_string();
        match error {
            RegistryError::NotAPerson => Refusal::new(Code::PersonRequired, message),
            RegistryError::NotSet { .. } => Refusal::new(Code::ConfigNotSet, message),
            // Somebody else has removed it in between.
            RegistryError::NotRegistered { .. } => Refusal::new(Code::PluginNotFound, message),
            RegistryError::Write(error) => self.refusal(error),
        }
    }
}
