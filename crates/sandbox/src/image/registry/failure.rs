//! What goes wrong with registries: what is tried again, and what is told.

use std::error::Error;
use std::future::Future;

use oci_client::Reference;
use oci_client::errors::{DigestError, OciDistributionError, OciErrorCode};

use super::PullRequest;
use crate::image::digest::{Digest, NoDigest};
use crate::image::error::ImageError;
use crate::image::event::Event;

/// Why an image could not be pulled.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// What was asked for is no reference.
    #[error("`{text}` is no image reference: {reason}")]
    Reference {
        /// What was asked for.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The registry has no such image.
    #[error("the registry has no image `{reference}`")]
    NotFound {
        /// What was asked for.
        reference: String,
    },
    /// The registry wants to know who asks, or does not give it to them.
    #[error("the registry `{registry}` denies access to `{repository}`")]
    Denied {
        /// Which registry.
        registry: String,
        /// To what.
        repository: String,
    },
    /// The registry cannot be reached, or fails.
    #[error("the registry `{registry}` cannot be used: {reason}")]
    Failed {
        /// Which registry.
        registry: String,
        /// What is wrong.
        reason: String,
    },
    /// It took too long.
    #[error("the image did not come within {seconds} s")]
    TimedOut {
        /// How long that was.
        seconds: u64,
    },
    /// What came cannot be used.
    #[error(transparent)]
    Image(#[from] ImageError),
}

/// Reads a reference, and the digest in it.
pub fn reference(text: &str) -> Result<(Reference, Option<Digest>), PullError> {
    let refused = |reason: String| PullError::Reference { text: text.chars().take(200).collect(), reason };
    let reference: Reference =
        text.parse().map_err(|error: oci_client::ParseError| refused(error.to_string()))?;
    let pinned = reference.digest().map(str::parse).transpose();
    let pinned = pinned.map_err(|_: NoDigest| refused("only sha256 digests are known".to_owned()))?;
    Ok((reference, pinned))
}

/// Makes a request until it succeeds, fails for good, or has been made often enough.
pub async fn with_retries<T, F>(
    pull: &PullRequest<'_>,
    reference: &Reference,
    mut request: impl FnMut() -> F,
) -> Result<T, PullError>
where
    F: Future<Output = Result<T, OciDistributionError>>,
{
    let mut attempt = 1;
    loop {
        match request().await {
            Ok(value) => return Ok(value),
            Err(error) if is_passing(&error) && attempt < pull.patience.attempts => {
                wait(pull, attempt, &innermost(&error)).await;
                attempt += 1;
            }
            Err(error) => return Err(failed(reference, error)),
        }
    }
}

/// Waits before the next attempt, longer each time.
pub async fn wait(pull: &PullRequest<'_>, attempt: u32, reason: &str) {
    let after = pull.patience.backoff.saturating_mul(1 << attempt.saturating_sub(1).min(10));
    pull.listener.tell(&Event::Retrying { after, reason: reason.to_owned() });
    tokio::time::sleep(after).await;
}

/// What an error of the client means.
pub fn failed(reference: &Reference, error: OciDistributionError) -> PullError {
    let registry = reference.resolve_registry().to_owned();
    let denied =
        || PullError::Denied { registry: registry.clone(), repository: reference.repository().to_owned() };
    let not_found = || PullError::NotFound { reference: reference.whole() };
    match &error {
        OciDistributionError::UnauthorizedError { .. } | OciDistributionError::AuthenticationFailure(_) => {
            denied()
        }
        OciDistributionError::ServerError { code: 401 | 403, .. } => denied(),
        OciDistributionError::ServerError { code: 404, .. } => not_found(),
        OciDistributionError::ImageManifestNotFoundError(_) => not_found(),
        OciDistributionError::DigestError(DigestError::VerificationError { expected, actual }) => {
            let what = "what the registry sent".to_owned();
            match (expected.parse(), actual.parse()) {
                (Ok(expected), Ok(found)) => ImageError::Mismatch { what, expected, found }.into(),
                _ => PullError::Failed { registry, reason: innermost(&error) },
            }
        }
        OciDistributionError::RegistryError { envelope, .. } => {
            let is = |codes: &[OciErrorCode]| envelope.errors.iter().any(|error| codes.contains(&error.code));
            if is(&[OciErrorCode::Unauthorized, OciErrorCode::Denied]) {
                denied()
            } else if is(&[OciErrorCode::ManifestUnknown, OciErrorCode::NameUnknown, OciErrorCode::NotFound])
            {
                not_found()
            } else {
                PullError::Failed { registry, reason: innermost(&error) }
            }
        }
        _ => PullError::Failed { registry, reason: innermost(&error) },
    }
}

/// Whether an error may be gone the next time.
pub fn is_passing(error: &OciDistributionError) -> bool {
    match error {
        OciDistributionError::RequestError(_) | OciDistributionError::IoError(_) => true,
        OciDistributionError::ServerError { code, .. } => *code >= 500 || matches!(code, 408 | 425 | 429),
        OciDistributionError::RegistryError { envelope, .. } => {
            envelope.errors.iter().any(|error| error.code == OciErrorCode::Toomanyrequests)
        }
        _ => false,
    }
}

/// What lies at the bottom of an error, without line breaks and not too long.
pub fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string().lines().next().unwrap_or_default().chars().take(200).collect()
}
