//! Images, and the roles that name them.

use guild_sandbox::image::{Image, Kind};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// `image import` and `image pull`: the image that is there now.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ImageKept {
    /// The image; null where nothing came of it.
    pub image: Option<ImageLine>,
    /// The names that it was given now.
    pub named: Vec<String>,
}

/// `image list`: every image and every role.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ImageList {
    /// The images, by name, those without one last.
    pub images: Vec<ImageLine>,
    /// How many there are.
    pub count: usize,
    /// The image roles, by name.
    pub roles: Vec<RoleLine>,
}

/// One image.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImageLine {
    /// Names it: `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// What the digest is of: `manifest`, `config` or `content`.
    pub kind: &'static str,
    /// The names that people know it by.
    pub names: Vec<String>,
    /// The roles that are made of it.
    pub roles: Vec<String>,
    /// What it is made for, as `linux/amd64`, where it says so.
    pub platform: Option<String>,
    /// Bytes of its files.
    pub bytes: u64,
    /// Files, directories and links in it.
    pub files: u64,
    /// When it was made, as it says itself.
    pub created: Option<String>,
    /// When it was brought in.
    pub imported: String,
}

/// One role.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RoleLine {
    /// Its name.
    pub name: String,
    /// What stands behind it: `host`, `directory`, `image` or `unusable`.
    pub root: &'static str,
    /// The directory, the image's name, or why it is unusable.
    pub value: Option<String>,
    /// The digest of its image, where that is there.
    pub digest: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether a run that names no role has this one.
    pub is_default: bool,
}

/// `image inspect`: one image.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImageInspect {
    /// Whether it was found.
    pub found: bool,
    /// The image.
    pub image: Option<ImageDetail>,
    /// The names that there are, or the digests that begin so.
    pub candidates: Vec<String>,
}

/// Everything about one image.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImageDetail {
    /// What a list says of it.
    #[serde(flatten)]
    pub line: ImageLine,
    /// The digest of its content.
    pub content: String,
    /// Whether its content is still what was unpacked; null where nobody asked.
    pub intact: Option<bool>,
    /// Where its files lie.
    pub root: String,
    /// Entries that were left out: devices, pipes and sockets.
    pub skipped: u64,
    /// How it wants to be run; nothing here runs by it.
    pub config: ImageConfig,
    /// Its layers, lowest first.
    pub layers: Vec<LayerLine>,
    /// Where it came from, under which name and when.
    pub sources: Vec<ImageSource>,
}

/// How an image wants to be run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImageConfig {
    /// Variables, as `NAME=value`.
    pub env: Vec<String>,
    /// The program and its first arguments.
    pub entrypoint: Vec<String>,
    /// Further arguments.
    pub cmd: Vec<String>,
    /// The directory to start in.
    pub working_dir: String,
    /// Who to be.
    pub user: String,
    /// Notes for people and programs.
    pub labels: BTreeMap<String, String>,
}

/// One layer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LayerLine {
    /// The digest of its bytes as they came.
    pub digest: String,
    /// The digest of its bytes before compression.
    pub diff_id: String,
    /// Bytes as they came.
    pub bytes: u64,
    /// What it said it is.
    pub media_type: Option<String>,
}

/// Where an image came from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImageSource {
    /// Under which name.
    pub name: String,
    /// From where.
    pub source: String,
    /// When.
    pub at: String,
}

/// `image remove`: what is gone.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ImageRemove {
    /// Which image it was.
    pub digest: Option<String>,
    /// Whether the image itself is gone, and not only a name of it.
    pub removed: bool,
    /// The names that are gone.
    pub names: Vec<String>,
    /// The names that still lead to it; where there are any, it stays.
    pub left: Vec<String>,
    /// Bytes that its files had; 0 where it stays.
    pub freed_bytes: u64,
    /// The roles that are made of it.
    pub roles: Vec<String>,
    /// The container engines that had a copy of it and have none any more.
    pub forgotten: Vec<&'static str>,
    /// Why others still have one.
    pub copies_left: Vec<String>,
}

impl ImageKept {
    /// What came of bringing an image in at `now`.
    pub fn of(image: &Image, line: ImageLine, now: &str) -> Self {
        let given = image.names.iter().filter(|named| named.at == now);
        Self { image: Some(line), named: given.map(|named| named.name.clone()).collect() }
    }
}

impl ImageLine {
    /// The line of an image.
    pub fn of(image: &Image, roles: Vec<String>) -> Self {
        Self {
            digest: image.digest.to_string(),
            kind: match image.kind {
                Kind::Manifest => "manifest",
                Kind::Config => "config",
                Kind::Content => "content",
            },
            names: image.names.iter().map(|named| named.name.clone()).collect(),
            roles,
            platform: image.platform.as_ref().map(ToString::to_string),
            bytes: image.bytes,
            files: image.entries,
            created: image.created.clone(),
            imported: image.imported.clone(),
        }
    }
}

impl ImageDetail {
    /// Everything about an image that lies at `root`.
    pub fn of(image: &Image, roles: Vec<String>, root: String, intact: Option<bool>) -> Self {
        let config = image.config.clone();
        let layers = image.layers.iter().map(|layer| LayerLine {
            digest: layer.digest.to_string(),
            diff_id: layer.diff_id.to_string(),
            bytes: layer.bytes,
            media_type: layer.media_type.clone(),
        });
        let sources = image.names.iter().cloned().map(|named| ImageSource {
            name: named.name,
            source: named.source,
            at: named.at,
        });
        Self {
            line: ImageLine::of(image, roles),
            content: image.content.to_string(),
            intact,
            root,
            skipped: image.skipped,
            config: ImageConfig {
                env: config.env,
                entrypoint: config.entrypoint,
                cmd: config.cmd,
                working_dir: config.working_dir,
                user: config.user,
                labels: config.labels,
            },
            layers: layers.collect(),
            sources: sources.collect(),
        }
    }
}
