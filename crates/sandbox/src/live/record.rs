//! What is written down of a container that lives on.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::policy::Policy;
use crate::random::random_bytes;

/// The format of records; a newer one is refused.
pub(super) const VERSION: u32 = 1;

/// The name of a container: `ctr_` and sixteen hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContainerId(String);

/// A text that is no container's name.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no container's id")]
pub struct ContainerIdError(String);

/// A container that lives on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The format.
    pub version: u32,
    /// Its name.
    pub id: ContainerId,
    /// Who launched it.
    pub owner: String,
    /// Whether others may use it.
    pub shared: bool,
    /// The runtime that it runs in.
    pub backend: String,
    /// The image role that its root came from, as it was asked for.
    pub role: String,
    /// What it may see and use. Its time limit is the container's.
    pub policy: Policy,
    /// When it was launched, in milliseconds since 1970.
    pub launched_ms: u64,
    /// Its supervisor.
    pub supervisor: u32,
}

impl ContainerId {
    /// A name that no other container has.
    pub fn random() -> std::io::Result<ContainerId> {
        Ok(ContainerId(format!("ctr_{:016x}", u64::from_ne_bytes(random_bytes()?))))
    }

    /// The name as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for ContainerId {
    type Err = ContainerIdError;

    fn from_str(text: &str) -> Result<ContainerId, ContainerIdError> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match text.strip_prefix("ctr_") {
            Some(digits) if digits.len() == 16 && digits.bytes().all(is_digit) => {
                Ok(ContainerId(text.to_owned()))
            }
            _ => Err(ContainerIdError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for ContainerId {
    type Error = ContainerIdError;

    fn try_from(text: String) -> Result<ContainerId, ContainerIdError> {
        text.parse()
    }
}

impl From<ContainerId> for String {
    fn from(id: ContainerId) -> String {
        id.0
    }
}

impl fmt::Display for ContainerId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Record {
    /// How long it may still live at this moment.
    pub fn left(&self, now: SystemTime) -> Duration {
        let launched = SystemTime::UNIX_EPOCH + Duration::from_millis(self.launched_ms);
        self.policy.limits.timeout.saturating_sub(now.duration_since(launched).unwrap_or_default())
    }
}
