//! Names: what may be one, which of them mean the same, and the list of them.

use std::path::Path;

use oci_client::Reference;

use super::{Store, StoreError};
use crate::image::digest::Digest;
use crate::image::error::ImageError;
use crate::image::record::{self, NameList, Named, Names};

const LONGEST: usize = 255;

/// The whole form of a name that is an image reference: `busybox` is `docker.io/library/busybox:latest`.
pub fn canonical(name: &str) -> Option<String> {
    name.parse::<Reference>().ok().map(|reference| reference.whole())
}

/// Refuses what cannot be a name.
pub fn check(name: &str) -> Result<(), ImageError> {
    let refuse = |reason| Err(ImageError::Name { name: name.chars().take(100).collect(), reason });
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/:@".contains(&byte);
    if !name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric()) {
        return refuse("it begins with neither a letter nor a digit");
    }
    if name.len() > LONGEST {
        return refuse("it is too long");
    }
    if !name.bytes().all(is_usual) {
        return refuse("it takes letters, digits and `. _ - / : @`");
    }
    if name.parse::<Digest>().is_ok() {
        return refuse("it is a digest, which names an image by itself");
    }
    Ok(())
}

/// A name made of a file's: what comes before its extensions.
pub fn of_file(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let mut stem = name;
    for extension in [".gz", ".xz", ".zst", ".tgz", ".txz", ".tzst", ".tar", ".oci"] {
        stem = stem.strip_suffix(extension).unwrap_or(stem);
    }
    let usual = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let stem: String = stem.trim_start_matches(['.', '-', '_']).chars().map(usual).collect();
    check(&stem).ok().map(|()| stem)
}

/// The names of an image, sorted.
pub fn of(digest: &Digest, names: &Names) -> Vec<Named> {
    let borne = names.iter().filter(|(_, target)| target.digest == *digest);
    borne
        .map(|(name, target)| Named {
            name: name.clone(),
            source: target.source.clone(),
            at: target.at.clone(),
        })
        .collect()
}

impl Store {
    /// Every name.
    pub(super) fn names(&self) -> Result<Names, StoreError> {
        let path = self.directory.join("names.json");
        let list: Option<NameList> =
            record::read(&path).map_err(|source| StoreError::Record { path, source })?;
        Ok(list.unwrap_or_default().names)
    }

    /// Writes all names; the caller holds the store's lock.
    pub(super) fn write_names(&self, names: Names) -> Result<(), StoreError> {
        let path = self.directory.join("names.json");
        record::write(&path, &NameList { names }).map_err(StoreError::io("write", &path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_short_name_stands_for_a_whole_reference() {
        let whole = |name: &str| canonical(name).unwrap_or_else(|| "none".to_owned());
        assert_eq!(whole("busybox"), "docker.io/library/busybox:latest");
        assert_eq!(whole("127.0.0.1:5000/a/b:1"), "127.0.0.1:5000/a/b:1");
        assert_eq!(whole("Not A Reference"), "none");
    }

    #[test]
    fn a_name_is_no_path_no_option_and_no_digest() {
        let told =
            |name: &str| check(name).map_or_else(|error| error.to_string(), |()| format!("`{name}` is fine"));
        let digest = Digest::of(b"").to_string();
        let told: Vec<String> = ["busybox", "r.io:5/a/b:1", "", "-f", "../x", "a b", "a\u{202e}b", &digest]
            .iter()
            .map(|name| format!("{}\n", told(name).escape_debug()))
            .collect();
        expect![[r#"
            `busybox` is fine
            `r.io:5/a/b:1` is fine
            `` cannot name an image: it begins with neither a letter nor a digit
            `-f` cannot name an image: it begins with neither a letter nor a digit
            `../x` cannot name an image: it begins with neither a letter nor a digit
            `a b` cannot name an image: it takes letters, digits and `. _ - / : @`
            `a\u{202e}b` cannot name an image: it takes letters, digits and `. _ - / : @`
            `sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855` cannot name an image: it is a digest, which names an image by itself
        "#]].assert_eq(&told.concat());
        assert!(check(&"a".repeat(256)).is_err());
    }

    #[test]
    fn a_files_name_makes_a_name() {
        let name = |path: &str| of_file(Path::new(path)).unwrap_or_else(|| "none".to_owned());
        assert_eq!(name("/a/busybox.tar.gz"), "busybox");
        assert_eq!(name("root file system.tgz"), "root-file-system");
        assert_eq!(name("/"), "none");
        assert_eq!(name(".tar"), "none");
    }
}
