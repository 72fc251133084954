//! From what a person writes to an image: a name, another form of it, or a digest or the beginning of one.

use super::names::canonical;
use super::{Store, StoreError};
use crate::image::digest::Digest;
use crate::image::record::{Image, Names};

/// Digits of a digest that may stand for it, at the least.
const SHORTEST: usize = 6;

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// Nothing is called so.
    #[error("there is no image `{name}`")]
    NotFound {
        /// What was looked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Several are.
    #[error("several images are called `{name}`: {}", .candidates.join(", "))]
    Ambiguous {
        /// What was looked for.
        name: String,
        /// Their digests.
        candidates: Vec<String>,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was found, and how.
#[derive(Debug)]
pub(super) struct Found {
    pub image: Image,
    /// The name that it was found by.
    pub name: Option<String>,
}

impl Store {
    /// The image that a name or digest stands for.
    pub fn find(&self, name: &str) -> Result<Image, FindError> {
        self.look_up(name).map(|found| found.image)
    }

    pub(super) fn look_up(&self, name: &str) -> Result<Found, FindError> {
        let names = self.names()?;
        let mut found = Vec::new();
        for (name, digest) in self.bearers(name, &names)? {
            if let Some(image) = self.load(&digest, &names)? {
                found.push(Found { image, name });
            }
        }
        if found.len() > 1 {
            let candidates = found.iter().map(|found| found.image.digest.to_string()).collect();
            return Err(FindError::Ambiguous { name: name.to_owned(), candidates });
        }
        let known = || names.keys().cloned().collect();
        found.pop().ok_or_else(|| FindError::NotFound { name: name.to_owned(), known: known() })
    }

    /// The digests that a text may stand for, each once, with the names that lead to them.
    fn bearers(&self, text: &str, names: &Names) -> Result<Vec<(Option<String>, Digest)>, StoreError> {
        if let Some(target) = names.get(text) {
            return Ok(vec![(Some(text.to_owned()), target.digest)]);
        }
        if let Ok(digest) = text.parse() {
            return Ok(vec![(None, digest)]);
        }
        let whole = canonical(text);
        let mut bearers: Vec<(Option<String>, Digest)> = Vec::new();
        for (name, target) in names.iter().filter(|(name, _)| whole.is_some() && canonical(name) == whole) {
            if bearers.iter().all(|(_, digest)| *digest != target.digest) {
                bearers.push((Some(name.clone()), target.digest));
            }
        }
        if bearers.is_empty() {
            bearers.extend(self.abbreviated(text)?.into_iter().map(|digest| (None, digest)));
        }
        Ok(bearers)
    }

    /// The digests that begin so.
    fn abbreviated(&self, text: &str) -> Result<Vec<Digest>, StoreError> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() < SHORTEST || !digits.bytes().all(is_hex) {
            return Ok(Vec::new());
        }
        let digests = self.list()?.into_iter().map(|image| image.digest);
        Ok(digests.filter(|digest| digest.hex().starts_with(digits)).collect())
    }
}
