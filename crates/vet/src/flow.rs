//! Where a value comes from: what is followed through variables, pipes, files and calls.
//!
//! The two engines for code share it. It knows kinds of origin, and no language.

/// What is known of a value's origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taint {
    /// It was fetched from this address.
    pub download: Option<String>,
    /// It was decoded from base64, hexadecimal digits or the like.
    pub decoded: bool,
    /// It is the content of this file of credentials.
    pub credential: Option<String>,
    /// It is the whole environment.
    pub environment: bool,
    /// It is this one secret, such as an API key.
    pub secret: Option<String>,
}

impl Taint {
    /// Whether nothing is known of it.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    /// Takes over what is known of another value.
    pub fn merge(&mut self, other: &Self) {
        self.decoded |= other.decoded;
        self.environment |= other.environment;
        keep(&mut self.download, &other.download);
        keep(&mut self.credential, &other.credential);
        keep(&mut self.secret, &other.secret);
    }

    /// What remains when one value is picked out: a key of a file of credentials is one secret.
    #[must_use]
    pub fn picked(mut self) -> Self {
        if let Some(file) = self.credential.take() {
            self.secret.get_or_insert(file);
        }
        self.environment = false;
        self
    }
}

fn keep(known: &mut Option<String>, other: &Option<String>) {
    if known.is_none() {
        known.clone_from(other);
    }
}
