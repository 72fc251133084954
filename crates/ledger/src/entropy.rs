//! The one place that asks the operating system for random bytes: ids, the key and tokens' secrets come from here.
//!
//! Nothing here is kept or seeded; a system without entropy is an error, never a weaker number.

/// The operating system gave no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bytes")]
pub struct NoEntropy(#[source] getrandom::Error);

/// `N` random bytes.
pub fn bytes<const N: usize>() -> Result<[u8; N], NoEntropy> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(NoEntropy)?;
    Ok(bytes)
}
