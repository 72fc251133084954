//! The installation's key: what it signs, and how a signature of anybody is checked.
//!
//! It signs a digest together with a word for what the digest stands for, so that no signature can be used for something
//! else: the bytes under a receipt's signature (Ed25519, RFC 8032) are the text `guild receipt 1 sha256:…`. Where the key lies and how it is made is in `file`; whom to trust is the caller's to say.

mod file;
mod proven;

use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::str::FromStr;
use std::thread;

use ed25519_dalek::{Signature as Ed25519, SigningKey, VerifyingKey};
use guild_manifest::Digest;
use hmac::{Hmac, KeyInit, Mac};
use ring::signature::Ed25519KeyPair;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

pub use file::KeyError;
pub(crate) use proven::Proven;

/// From how many signatures on a second thread is worth it.
const MANY: usize = 32;

/// The secret that encrypts, which is made where there is none.
pub(crate) fn sealing_key(directory: &Path) -> Result<[u8; 32], KeyError> {
    file::read_or_make(directory, file::SEALING)
}

/// What a signature is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A receipt of the chain.
    Receipt,
    /// A grant, request, token or suppression.
    Record,
    /// The chain's head outside the database.
    Head,
    /// A bundle that is taken to another installation.
    Bundle,
}

/// The secret key of this installation.
pub(crate) struct Key {
    signing: SigningKey,
    /// The same key where it signs: what it writes is the same to the bit, in half the time.
    signer: Ed25519KeyPair,
    /// Its public half.
    pub(crate) public: PublicKey,
    /// The installation that it is the key of.
    pub(crate) installation: InstallationId,
}

/// The public key of an installation, written `ed25519:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PublicKey([u8; 32]);

/// The name of an installation: `ins_` and 32 hexadecimal digits, which come from its public key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InstallationId(String);

/// A signature, written as 128 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature([u8; 64]);

/// A text that is no public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a public key is `ed25519:` and 64 hexadecimal digits of a point on the curve")]
pub struct NotAKey;

impl Key {
    /// Reads the key in the directory `keys`, or makes one there if it has none.
    pub(crate) fn open(keys: &Path) -> Result<Self, KeyError> {
        let secret = file::read_or_make(keys, file::SIGNING)?;
        let signing = SigningKey::from_bytes(&secret);
        let public = PublicKey(signing.verifying_key().to_bytes());
        let signer = Ed25519KeyPair::from_seed_and_public_key(&secret, &public.0);
        let signer = signer.map_err(|_| file::damaged(keys, file::SIGNING))?;
        Ok(Self { signing, signer, public, installation: public.installation() })
    }

    /// Signs a digest for one purpose.
    pub(crate) fn sign(&self, purpose: Purpose, digest: &Digest) -> Signature {
        let mut bytes = [0; 64];
        // A signature of this kind has as many bytes.
        let signed = self.signer.sign(purpose.message(digest).as_bytes());
        bytes.iter_mut().zip(signed.as_ref()).for_each(|(to, from)| *to = *from);
        Signature(bytes)
    }

    /// Signs many digests, each for its purpose, in their order: on two threads, since to sign is nothing but work.
    pub(crate) fn sign_all(&self, wanted: &[(Purpose, Digest)]) -> Vec<Signature> {
        let sign = |wanted: &[(Purpose, Digest)]| -> Vec<Signature> {
            wanted.iter().map(|(purpose, digest)| self.sign(*purpose, digest)).collect()
        };
        if wanted.len() < MANY {
            return sign(wanted);
        }
        let (here, beside) = wanted.split_at(wanted.len() / 2);
        thread::scope(|scope| {
            let started = thread::Builder::new().spawn_scoped(scope, || sign(beside));
            let mut signed = sign(here);
            signed.extend(match started {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // A machine may have no more threads.
                Err(_) => sign(beside),
            });
            signed
        })
    }

    /// A digest of `value` that only this installation can compute, for values too easy to guess to be shown by a plain one.
    /// The same value has another digest in another `context`.
    pub(crate) fn keyed_digest(&self, context: &str, value: &[u8]) -> String {
        let secret = mac(self.signing.as_bytes(), &[b"guild keyed digest 1"]);
        let length = (context.len() as u64).to_le_bytes();
        let digest = mac(&secret, &[&length, context.as_bytes(), value]);
        format!("hmac-sha256:{}", hex::encode(digest))
    }
}

/// What only a holder of the key can compute of some parts, one after the other: HMAC with SHA-256.
pub fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC fills a key up with zeros itself; a key of the full length cannot be refused.
    let mut block = [0; 64];
    block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

impl PublicKey {
    /// The installation that this is the key of.
    pub fn installation(&self) -> InstallationId {
        let digits: String = Digest::of(&self.0).to_hex().chars().take(32).collect();
        InstallationId(format!("ins_{digits}"))
    }

    /// Whether `signature` is that of a bundle with this digest, by this key.
    pub fn has_signed_bundle(&self, digest: &Digest, signature: &str) -> bool {
        signature.parse().is_ok_and(|signature| self.verifies(Purpose::Bundle, digest, &signature))
    }

    /// The digest that a chain of this installation begins with, in place of a receipt before the first.
    pub(crate) fn genesis(&self) -> Digest {
        Digest::of(&self.0)
    }

    /// Whether `signature` is this key's for `digest`.
    pub(crate) fn verifies(&self, purpose: Purpose, digest: &Digest, signature: &Signature) -> bool {
        let message = purpose.message(digest);
        let signature = Ed25519::from_bytes(&signature.0);
        self.point().is_some_and(|key| key.verify_strict(message.as_bytes(), &signature).is_ok())
    }

    /// Whether all of these signatures are this key's: several times faster than one by one, and it does not say which is wrong.
    pub(crate) fn verifies_all(&self, purpose: Purpose, signed: &[(Digest, Signature)]) -> bool {
        let Some(key) = self.point() else { return false };
        let messages: Vec<String> = signed.iter().map(|(digest, _)| purpose.message(digest)).collect();
        let messages: Vec<&[u8]> = messages.iter().map(String::as_bytes).collect();
        let signatures: Vec<Ed25519> = signed.iter().map(|(_, it)| Ed25519::from_bytes(&it.0)).collect();
        ed25519_dalek::verify_batch(&messages, &signatures, &vec![key; signed.len()]).is_ok()
    }

    fn point(&self) -> Option<VerifyingKey> {
        VerifyingKey::from_bytes(&self.0).ok()
    }
}

impl Purpose {
    fn message(self, digest: &Digest) -> String {
        let word = match self {
            Self::Receipt => "receipt",
            Self::Record => "record",
            Self::Head => "head",
            Self::Bundle => "bundle",
        };
        format!("guild {word} 1 {digest}")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.installation)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ed25519:{}", hex::encode(self.0))
    }
}

impl FromStr for PublicKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let digits = text.strip_prefix("ed25519:").ok_or(NotAKey)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes).map_err(|_| NotAKey)?;
        let key = Self(bytes);
        if key.point().is_some() && key.to_string() == text { Ok(key) } else { Err(NotAKey) }
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for PublicKey {
    type Error = NotAKey;

    fn try_from(text: String) -> Result<Self, NotAKey> {
        text.parse()
    }
}

impl InstallationId {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A number for locks of the database, which are named by numbers.
    pub(crate) fn lock_number(&self) -> i64 {
        lock_number(&self.0)
    }
}

/// The number of the lock for what `text` names.
pub(crate) fn lock_number(text: &str) -> i64 {
    let mut first = [0; 8];
    first.iter_mut().zip(Digest::of(text.as_bytes()).as_bytes()).for_each(|(to, from)| *to = *from);
    i64::from_be_bytes(first)
}

impl fmt::Display for InstallationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for Signature {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, hex::FromHexError> {
        let mut bytes = [0; 64];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> (tempfile::TempDir, Key) {
        let directory = tempfile::tempdir().unwrap();
        let key = Key::open(directory.path()).unwrap();
        (directory, key)
    }

    #[test]
    fn a_signature_is_good_for_its_digest_and_its_purpose_alone() {
        let ((_one, key), (_other, stranger)) = (key(), key());
        let (digest, other) = (Digest::of(b"this"), Digest::of(b"that"));
        let signature = key.sign(Purpose::Receipt, &digest);
        assert!(key.public.verifies(Purpose::Receipt, &digest, &signature));
        assert!(!key.public.verifies(Purpose::Record, &digest, &signature));
        assert!(!key.public.verifies(Purpose::Receipt, &other, &signature));
        assert!(!stranger.public.verifies(Purpose::Receipt, &digest, &signature));
    }

    /// Others check these without Guildhall, so the bytes that are signed never change.
    #[test]
    fn the_format_of_signatures_is_fixed() {
        let directory = tempfile::tempdir().unwrap();
        let stored = format!(r#"{{"version":1,"algorithm":"ed25519","secret":"{}"}}"#, "07".repeat(32));
        let path = directory.path().join("installation.json");
        std::fs::write(&path, stored).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let key = Key::open(directory.path()).unwrap();
        let digest = Digest::of(b"{}");
        let signatures = [Purpose::Receipt, Purpose::Record, Purpose::Head]
            .map(|purpose| key.sign(purpose, &digest).to_string());
        let shown = format!(
            "{}\n{}\n{}\n{}\n{}",
            key.public,
            key.installation,
            Purpose::Receipt.message(&digest),
            signatures.join("\n"),
            key.keyed_digest("context", b"value"),
        );
        expect_test::expect![[r#"
            ed25519:ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c
            ins_fe812c12f3ab4ce6ac5db69ac352f906
            guild receipt 1 sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
            512181ae723655de451a6e07ce6441de1c12e92826f8513a856644720ad8f8dcc48d20cc74a1d5c81a6b4203ac5ab694f5889499c721f5f1565c17428a08150c
            e4d4682cbf13bc3924efc855075840571a0f3de9af7460f790e5c900190f0c602d8fbabb9b8eceb4f4715b0961c20d087c59f1be42778fe2f4dc7efc1876a806
            bc6ddd0ea790a53c9782892a824b336bf7bc4e3881686d3dd713c904471c6598f7e40abab01187d239edc21b79b65e5bfef9d57d90eda688e2385cd4be74df00
            hmac-sha256:f202daa9ccaa6c1d7a3c53ff4d1234850cc5a7751086152b63c465f132a5ebea"#]].assert_eq(&shown);
    }

    #[test]
    fn one_wrong_signature_among_many_is_noticed() {
        let (_directory, key) = key();
        let signed = |text: &str| {
            let digest = Digest::of(text.as_bytes());
            (digest, key.sign(Purpose::Receipt, &digest))
        };
        let mut all: Vec<_> = (0..40).map(|number| signed(&number.to_string())).collect();
        assert!(key.public.verifies_all(Purpose::Receipt, &all));
        all[17].1 = signed("18").1;
        assert!(!key.public.verifies_all(Purpose::Receipt, &all));
        assert!(key.public.verifies_all(Purpose::Receipt, &[]));
    }

    #[test]
    fn many_are_signed_as_each_would_be() {
        let (_directory, key) = key();
        for count in [0, 1, MANY - 1, MANY, 3 * MANY + 1] {
            let purpose =
                |number: usize| if number.is_multiple_of(2) { Purpose::Record } else { Purpose::Receipt };
            let wanted: Vec<_> =
                (0..count).map(|number| (purpose(number), Digest::of(&number.to_le_bytes()))).collect();
            let each: Vec<_> = wanted.iter().map(|(purpose, digest)| key.sign(*purpose, digest)).collect();
            assert_eq!(key.sign_all(&wanted), each);
        }
    }

    #[test]
    fn public_keys_and_installations_read_back() {
        let (_directory, key) = key();
        assert_eq!(key.public.to_string().parse(), Ok(key.public));
        assert_eq!(key.installation.to_string().len(), 36);
        let nowhere = format!("ed25519:{}", "02".repeat(32));
        for text in ["", "ed25519:00", &nowhere, &key.public.to_string().to_uppercase()] {
            assert_eq!(text.parse::<PublicKey>(), Err(NotAKey), "{text}");
        }
    }

    #[test]
    fn keyed_digests_depend_on_key_context_and_value() {
        let ((_one, key), (_other, stranger)) = (key(), key());
        let digest = key.keyed_digest("token", b"1234");
        assert_eq!((digest.len(), digest.as_str()), (76, key.keyed_digest("token", b"1234").as_str()));
        for other in [
            key.keyed_digest("token", b"1235"),
            key.keyed_digest("toke", b"n1234"),
            stranger.keyed_digest("token", b"1234"),
        ] {
            assert_ne!(digest, other);
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        let (_directory, key) = key();
        assert_eq!(format!("{key:?}"), format!("Key({})", key.installation));
    }
}
