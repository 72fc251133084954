//! What is to be unpacked: the layers of one image, wherever their bytes lie, and what they must be.

use super::digest::Digest;
use super::documents::Config;
use super::error::ImageError;
use super::platform::Platform;
use super::record::Kind;
use super::section::Section;

/// One image, ready to be unpacked.
#[derive(Debug)]
pub struct Plan {
    /// Names it; `None` where only its content will.
    pub digest: Option<Digest>,
    /// What the digest is of.
    pub kind: Kind,
    /// What it says of itself.
    pub config: Config,
    /// Lowest first.
    pub layers: Vec<LayerPlan>,
    /// The names that its source gives it.
    pub names: Vec<String>,
}

/// One layer.
#[derive(Debug)]
pub struct LayerPlan {
    /// What it is named by in errors.
    pub what: String,
    /// The digest of its bytes as they lie there.
    pub digest: Option<Digest>,
    /// The digest of its bytes before compression.
    pub diff_id: Option<Digest>,
    /// What it says it is.
    pub media_type: Option<String>,
    /// Its bytes.
    pub bytes: Section,
}

impl Plan {
    /// Refuses an image for another machine, where it says so.
    pub fn check_platform(&self, platform: &Platform) -> Result<(), ImageError> {
        let Config { os, architecture, variant, .. } = &self.config;
        if os.is_empty() || architecture.is_empty() {
            return Ok(());
        }
        let made_for =
            Platform { os: os.clone(), architecture: architecture.clone(), variant: variant.clone() };
        if platform.takes(&made_for) {
            return Ok(());
        }
        let what = format!("the image is made for {made_for}, not for {platform}");
        Err(ImageError::Unsupported { what })
    }
}

/// The digests of the layers before compression: one each, or none where the configuration does not say.
pub fn diff_ids(config: &Config, layers: usize) -> Result<Vec<Option<Digest>>, ImageError> {
    let ids = &config.rootfs.diff_ids;
    if ids.is_empty() {
        return Ok(vec![None; layers]);
    }
    if ids.len() != layers {
        let reason = format!("it has {layers} layers, and its configuration {} of them", ids.len());
        return Err(ImageError::invalid("the image", reason));
    }
    Ok(ids.iter().copied().map(Some).collect())
}
