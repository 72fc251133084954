//! Sealing: texts that are kept encrypted, with a key of this installation that lies beside its signing key.
//!
//! ChaCha20-Poly1305 with a random nonce. A sealed text says whose and what it is (its context), so that one cannot be put in
//! another's place. Whoever reads the key file reads everything: it protects copies of the database, not this machine.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::entropy::{self, NoEntropy};
use crate::key::{KeyError, sealing_key};
use crate::{Ledger, PublicKey};

/// What a sealed text begins with.
const VERSION: &str = "v1:";

/// Why a text is not sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The key cannot be had.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// It was not sealed here, for this, or was changed since.
    #[error("it was not encrypted by this installation, or was changed since")]
    NotOurs,
    /// There are no random bytes.
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
}

impl Ledger {
    /// Encrypts a text. `context` says what it is, and has to be said again to open it.
    ///
    /// # Errors
    /// Where the key cannot be had.
    pub fn seal(&self, context: &str, text: &str) -> Result<String, SealError> {
        let nonce = entropy::bytes::<NONCE_LEN>()?;
        let mut bytes = text.as_bytes().to_vec();
        let whole = associated(&self.public_key(), context);
        let sealed = self.sealer()?.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(whole),
            &mut bytes,
        );
        sealed.map_err(|_| SealError::NotOurs)?;
        Ok(format!("{VERSION}{}{}", hex::encode(nonce), hex::encode(bytes)))
    }

    /// Decrypts a text that was sealed in the same context.
    ///
    /// # Errors
    /// Where it was not, or the key cannot be had.
    pub fn unseal(&self, context: &str, sealed: &str) -> Result<String, SealError> {
        let digits = sealed.strip_prefix(VERSION).ok_or(SealError::NotOurs)?;
        let bytes = hex::decode(digits).map_err(|_| SealError::NotOurs)?;
        let (nonce, text) = bytes.split_first_chunk::<NONCE_LEN>().ok_or(SealError::NotOurs)?;
        let (nonce, mut text) = (Nonce::assume_unique_for_key(*nonce), text.to_vec());
        let whole = associated(&self.public_key(), context);
        let opened = self.sealer()?.open_in_place(nonce, Aad::from(whole), &mut text);
        let opened = opened.map_err(|_| SealError::NotOurs)?;
        String::from_utf8(opened.to_vec()).map_err(|_| SealError::NotOurs)
    }

    fn sealer(&self) -> Result<LessSafeKey, SealError> {
        let secret = sealing_key(&self.keys)?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &secret).map_err(|_| SealError::NotOurs)?;
        Ok(LessSafeKey::new(key))
    }
}

/// What is not encrypted and yet cannot be changed: whose it is and what it is.
fn associated(key: &PublicKey, context: &str) -> Vec<u8> {
    format!("{key}\n{context}").into_bytes()
}
