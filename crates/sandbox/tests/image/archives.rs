//! Archives written as text: one line an entry, in the order of the archive.
//!
//! ```text
//! etc/                      a directory
//! etc/hostname = box        a file with a line
//! bin/su x setid = su       an executable file, set-user-ID
//! lib -> usr/lib            a symbolic link
//! bin/sh => bin/busybox     a second name of a file
//! dev/null char             a device; also `block` and `fifo`
//! zeros 4096                a file of so many zeros
//! ```

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use guild_sandbox::image::Digest;
use serde_json::json;
use tar::{Builder, EntryType, Header};

/// A tar archive.
pub fn tar(text: &str) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (header, content) = entry(line);
        builder.append(&header, &content[..]).unwrap();
    }
    builder.into_inner().unwrap()
}

fn entry(line: &str) -> (Header, Vec<u8>) {
    let mut header = Header::new_gnu();
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut content = Vec::new();
    let mut mode = 0o600;
    let mut kind = if name.ends_with('/') { EntryType::Directory } else { EntryType::Regular };
    let (words, text) = rest.split_once("= ").unwrap_or((rest, ""));
    if let Some(target) = rest.strip_prefix("-> ") {
        kind = EntryType::Symlink;
        raw(&mut header.as_gnu_mut().unwrap().linkname, target);
    } else if let Some(target) = rest.strip_prefix("=> ") {
        kind = EntryType::Link;
        raw(&mut header.as_gnu_mut().unwrap().linkname, target);
    } else {
        for word in words.split_whitespace() {
            match word {
                "x" => mode |= 0o100,
                "setid" => mode |= 0o6000,
                "char" => kind = EntryType::Char,
                "block" => kind = EntryType::Block,
                "fifo" => kind = EntryType::Fifo,
                number => content = vec![0; number.parse().unwrap()],
            }
        }
        if !text.is_empty() {
            content = format!("{text}\n").into_bytes();
        }
    }
    // Written as it is: the builder itself refuses what a hostile archive would hold.
    raw(&mut header.as_gnu_mut().unwrap().name, name);
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(1_000_000_000);
    header.set_size(content.len() as u64);
    header.set_cksum();
    (header, content)
}

fn raw(field: &mut [u8], text: &str) {
    field[..text.len()].copy_from_slice(text.as_bytes());
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// The parts of an OCI image by path, ready for a directory, an archive or a registry.
pub struct Parts {
    pub files: Vec<(String, Vec<u8>)>,
    pub manifest: Digest,
    pub config: Digest,
}

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
    let diff_ids: Vec<String> = plain.iter().map(|plain| Digest::of(plain).to_string()).collect();
    let mut config = config_document(&diff_ids);
    merge(&mut config, &twist["config"]);
    let config = bytes_of(&config);
    let config_digest = Digest::of(&config);
    let config = blob(&mut files, "application/vnd.oci.image.config.v1+json", config);
    let mut manifest = json!({"schemaVersion": 2, "config": config, "layers": layers});
    merge(&mut manifest, &twist["manifest"]);
    let manifest_bytes = bytes_of(&manifest);
    let manifest = Digest::of(&manifest_bytes);
    let mut descriptor = blob(&mut files, "application/vnd.oci.image.manifest.v1+json", manifest_bytes);
    if let Some(name) = twist["name"].as_str() {
        descriptor["annotations"] = json!({"org.opencontainers.image.ref.name": name});
    }
    let mut index = json!({"schemaVersion": 2, "manifests": [descriptor]});
    merge(&mut index, &twist["index"]);
    files.push(("index.json".to_owned(), bytes_of(&index)));
    Parts { files, manifest, config: config_digest }
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
pub fn blob(files: &mut Vec<(String, Vec<u8>)>, media_type: &str, bytes: Vec<u8>) -> serde_json::Value {
    let digest = Digest::of(&bytes);
    let descriptor = json!({"mediaType": media_type, "digest": digest.to_string(), "size": bytes.len()});
    files.push((format!("blobs/sha256/{}", digest.hex()), bytes));
    descriptor
}

/// A `docker save` archive in the form without manifests.
pub fn docker(layers: &[&str]) -> Vec<(String, Vec<u8>)> {
    let plain: Vec<Vec<u8>> = layers.iter().map(|layer| tar(layer)).collect();
    let diff_ids: Vec<String> = plain.iter().map(|plain| Digest::of(plain).to_string()).collect();
    let config = bytes_of(&config_document(&diff_ids));
    let config_path = format!("{}.json", Digest::of(&config).hex());
    let mut files = Vec::new();
    let mut paths = Vec::new();
    for (index, plain) in plain.into_iter().enumerate() {
        let path = format!("{}/layer.tar", Digest::of(&[index as u8]).hex());
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
        builder.append_data(&mut header, path, &bytes[..]).unwrap();
    }
    builder.into_inner().unwrap()
}

pub fn bytes_of(json: &serde_json::Value) -> Vec<u8> {
    serde_json::to_vec(json).unwrap()
}

fn merge(into: &mut serde_json::Value, from: &serde_json::Value) {
    if let Some(from) = from.as_object() {
        for (key, value) in from {
            into[key] = value.clone();
        }
    }
}

/// A tree as text, links not followed.
pub fn tree(root: &Path) -> String {
    let mut text = String::new();
    walk(root, root, &mut text);
    text
}

fn walk(root: &Path, directory: &Path, text: &mut String) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let metadata = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let mode = metadata.permissions().mode() & 0o7777;
        if metadata.is_symlink() {
            writeln!(text, "{name} -> {}", std::fs::read_link(&path).unwrap().display()).unwrap();
        } else if metadata.is_dir() {
            writeln!(text, "{name}/ {mode:o}").unwrap();
            walk(root, &path, text);
        } else {
            let content = std::fs::read(&path).unwrap();
            let content = match content.as_slice() {
                [0, ..] => format!("{} zeros", content.len()),
                content => String::from_utf8_lossy(content).trim_end().to_owned(),
            };
            writeln!(text, "{name} {mode:o} = {content}").unwrap();
        }
    }
}
