//! Images for tests: layers put together as OCI layouts, and as what `docker save` wrote before those.
//!
//! It knows the formats and nothing of what is done with them, and refuses nothing: a hostile image is as easy to make as a good one.

mod archive;

use std::io::Write as _;

use serde_json::json;
use sha2::{Digest as _, Sha256};
use tar::{Builder, Header};

pub use archive::tar;

/// What cannot fail where nothing but memory is used.
const IN_MEMORY: &str = "an archive in memory";

/// Compressed by gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect(IN_MEMORY);
    encoder.finish().expect(IN_MEMORY)
}

/// Compressed by Zstandard.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// The digest of some bytes, as `sha256:…`.
pub fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// The parts of an OCI image by path, ready for a directory, an archive or a registry.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The files of its layout.
    pub files: Files,
    /// The digest of its manifest.
    pub manifest: String,
    /// The digest of its configuration.
    pub config: String,
}

/// Files by path.
pub type Files = Vec<(String, Vec<u8>)>;

/// An OCI layout of layers, which are compressed as their order says: not, by gzip, by zstd, and so on.
pub fn oci(layers: &[&str]) -> Parts {
    let plain: Vec<Vec<u8>> = layers.iter().map(|layer| tar(layer)).collect();
    oci_of(&plain, &json!({"name": "made/here:1"}))
}

/// An OCI layout of archives. What `twist` says replaces parts of it.
pub fn oci_of(plain: &[Vec<u8>], twist: &serde_json::Value) -> Parts {
    let mut files = vec![("oci-layout".to_owned(), br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec())];
    let mut layers = Vec::new();
    for (index, plain) in plain.iter().enumerate() {
        let (suffix, bytes) = match index % 3 {
            0 => ("", plain.clone()),
            1 => ("+gzip", gzip(plain)),
            _ => ("+zstd", zstd(plain)),
        };
        layers.push(blob(&mut files, &format!("application/vnd.oci.image.layer.v1.tar{suffix}"), bytes));
    }
    let diff_ids: Vec<String> = plain.iter().map(|plain| digest(plain)).collect();
    let mut config = config_document(&diff_ids);
    merge(&mut config, &twist["config"]);
    let config = bytes_of(&config);
    let config_digest = digest(&config);
    let config = blob(&mut files, "application/vnd.oci.image.config.v1+json", config);
    let mut manifest = json!({"schemaVersion": 2, "config": config, "layers": layers});
    merge(&mut manifest, &twist["manifest"]);
    let manifest_bytes = bytes_of(&manifest);
    let manifest_digest = digest(&manifest_bytes);
    let mut descriptor = blob(&mut files, "application/vnd.oci.image.manifest.v1+json", manifest_bytes);
    if let Some(name) = twist["name"].as_str() {
        let annotations = json!({"annotations": {"org.opencontainers.image.ref.name": name}});
        merge(&mut descriptor, &annotations);
    }
    let mut index = json!({"schemaVersion": 2, "manifests": [descriptor]});
    merge(&mut index, &twist["index"]);
    files.push(("index.json".to_owned(), bytes_of(&index)));
    Parts { files, manifest: manifest_digest, config: config_digest }
}

/// What an image says of itself, for this test's platform.
pub fn config_document(diff_ids: &[String]) -> serde_json::Value {
    json!({
        "created": "2024-05-06T07:08:09Z", "architecture": "amd64", "os": "linux",
        "config": {"Env": ["PATH=/bin"], "Entrypoint": ["/bin/sh"], "Cmd": null, "WorkingDir": "/work"},
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
    })
}

/// Adds a blob and gives its descriptor.
pub fn blob(files: &mut Files, media_type: &str, bytes: Vec<u8>) -> serde_json::Value {
    let digest = digest(&bytes);
    let descriptor = json!({"mediaType": media_type, "digest": digest, "size": bytes.len()});
    files.push((format!("blobs/{}", digest.replace(':', "/")), bytes));
    descriptor
}

/// A `docker save` archive in the form without manifests.
pub fn docker(layers: &[&str]) -> Files {
    let plain: Vec<Vec<u8>> = layers.iter().map(|layer| tar(layer)).collect();
    let diff_ids: Vec<String> = plain.iter().map(|plain| digest(plain)).collect();
    let config = bytes_of(&config_document(&diff_ids));
    let config_path = format!("{}.json", hex(&config));
    let mut files = Vec::new();
    let mut paths = Vec::new();
    for (index, plain) in plain.into_iter().enumerate() {
        let path = format!("{}/layer.tar", hex(&index.to_le_bytes()));
        files.push((path.clone(), plain));
        paths.push(path);
    }
    files.push((config_path.clone(), config));
    let list = json!([{"Config": config_path, "RepoTags": ["made/here:1"], "Layers": paths}]);
    files.push(("manifest.json".to_owned(), bytes_of(&list)));
    files
}

/// Files as one archive.
pub fn pack(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, path, &bytes[..]).expect(IN_MEMORY);
    }
    builder.into_inner().expect(IN_MEMORY)
}

/// A document as bytes.
pub fn bytes_of(json: &serde_json::Value) -> Vec<u8> {
    serde_json::to_vec(json).expect(IN_MEMORY)
}

fn hex(bytes: &[u8]) -> String {
    digest(bytes).replace("sha256:", "")
}

fn merge(into: &mut serde_json::Value, from: &serde_json::Value) {
    if let Some(from) = from.as_object() {
        for (key, value) in from {
            into[key] = value.clone();
        }
    }
}
