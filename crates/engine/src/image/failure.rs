//! What goes wrong with images, as codes and sentences with a remedy.

use std::error::Error;

use guild_manifest::fold::nearest;
use guild_sandbox::image::{
    CredentialsError, FindError, ImageError, PullError, RemoveError, ResolveError, StoreError,
};

use crate::Code;
use crate::sandbox::Refusal;

/// A name that leads to no image, or to several.
pub fn find(error: FindError) -> Refusal {
    let (code, hint) = match &error {
        FindError::NotFound { name, known } => {
            let hint = match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`guild image list` shows every image".to_owned(),
            };
            (Code::ImageNotFound, hint)
        }
        FindError::Ambiguous { .. } => (Code::ImageAmbiguous, "write more of the digest".to_owned()),
        FindError::Store(error) => (store_code(error), String::new()),
    };
    told(code, &error, &hint)
}

/// An image that could not be brought in.
pub fn image(error: &ImageError) -> Refusal {
    let (code, hint) = match error {
        ImageError::Invalid { .. } => (Code::ImageInvalid, "nothing of it was kept"),
        ImageError::Unsafe { .. } => (Code::ImageUnsafe, "nothing of it was kept"),
        ImageError::TooLarge { what: "bytes", .. } => {
            (Code::ImageTooLarge, "raise `sandbox.images.max_bytes` in your own configuration to let it in")
        }
        ImageError::TooLarge { what: "entries", .. } => {
            (Code::ImageTooLarge, "raise `sandbox.images.max_files` in your own configuration to let it in")
        }
        ImageError::TooLarge { .. } | ImageError::Bomb { .. } => {
            (Code::ImageTooLarge, "nothing of it was kept")
        }
        ImageError::Mismatch { .. } => (Code::ImageDigestMismatch, "nothing of it was kept"),
        ImageError::Unsupported { .. } => (Code::ImageUnsupported, ""),
        ImageError::Ambiguous { .. } => (Code::ImageAmbiguous, "name one of them with `--image`"),
        ImageError::Name { .. } => (Code::InvalidName, ""),
        ImageError::Store(error) => (store_code(error), ""),
        ImageError::Io { action, .. } => (io_code(action), ""),
    };
    told(code, error, hint)
}

/// An image that could not be pulled.
pub fn pull(error: &PullError) -> Refusal {
    let (code, hint) = match error {
        PullError::Image(error) => return image(error),
        PullError::Reference { .. } => {
            (Code::InvalidName, "write it like `registry.example/name:tag` or `name@sha256:…`")
        }
        PullError::NotFound { .. } => (Code::ImageNotFound, "look at its name and its tag"),
        PullError::Denied { .. } => (
            Code::RegistryDenied,
            "look at its name, or log in with `docker login`; passwords that a helper program keeps are not asked for",
        ),
        PullError::Failed { .. } => (Code::RegistryFailed, ""),
        PullError::TimedOut { .. } => {
            (Code::RegistryFailed, "what has come is kept; the next pull goes on from there")
        }
    };
    told(code, error, hint)
}

/// An image that could not be removed.
pub fn remove(error: RemoveError) -> Refusal {
    match error {
        RemoveError::Find(error) => find(error),
        RemoveError::InUse { .. } => {
            told(Code::ImageInUse, &error, "a container is running in it; stop that first")
        }
        RemoveError::Store(ref store) => told(store_code(store), &error, ""),
    }
}

/// A role without a root file system.
pub fn resolve(role: &str, error: ResolveError) -> Refusal {
    let refusal = match error {
        ResolveError::Find(FindError::NotFound { .. }) => {
            let hint = "bring it in with `guild image pull` or `guild image import`";
            told(Code::ImageNotFound, &error, hint)
        }
        ResolveError::Find(error) => find(error),
        ResolveError::Gone { .. } => told(Code::ImageNotFound, &error, ""),
        ResolveError::Directory(error) => image(&error),
        ResolveError::Host(_) => told(Code::ReadFailed, &error, ""),
    };
    Refusal::new(refusal.code, format!("the role `{role}` cannot be used: {}", refusal.message))
}

/// A file with passwords that cannot be used.
pub fn credentials(error: &CredentialsError) -> Refusal {
    told(Code::ReadFailed, error, "mend it, or move it away to go on as nobody")
}

/// A store that cannot be used.
pub fn store(error: &StoreError) -> Refusal {
    told(store_code(error), error, "")
}

fn store_code(error: &StoreError) -> Code {
    match error {
        StoreError::Record { .. } => Code::ReadFailed,
        StoreError::Io { action, .. } => io_code(action),
    }
}

fn io_code(action: &str) -> Code {
    if matches!(action, "read" | "open") { Code::ReadFailed } else { Code::WriteFailed }
}

/// The error with what lies below it, and what to do.
fn told(code: Code, error: &dyn Error, hint: &str) -> Refusal {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        // Some errors only pass on what another said.
        let text = source.to_string();
        if !message.ends_with(&text) {
            message = format!("{message}: {text}");
        }
        cause = source.source();
    }
    if !hint.is_empty() {
        message = format!("{message}; {hint}");
    }
    Refusal { code, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use guild_sandbox::image::Digest;
    use std::io;

    #[track_caller]
    fn check(refusal: Refusal, expected: &Expect) {
        expected.assert_eq(&format!("{}: {}", refusal.code.as_str(), refusal.message));
    }

    fn full() -> io::Error {
        io::Error::from_raw_os_error(28)
    }

    #[test]
    fn every_way_to_refuse_an_image_has_its_code() {
        let digest = |text: &[u8]| Digest::of(text);
        check(
            image(&ImageError::Invalid { what: "a.tar".into(), reason: "it is cut short".into() }),
            &expect!["image_invalid: a.tar cannot be used: it is cut short; nothing of it was kept"],
        );
        check(
            image(&ImageError::Unsafe { path: "../x".into(), reason: "leads upwards".into() }),
            &expect!["image_unsafe: the image holds `../x`, which leads upwards; nothing of it was kept"],
        );
        check(
            image(&ImageError::TooLarge { what: "bytes", limit: 5 }),
            &expect![
                "image_too_large: the image has more than 5 bytes; raise `sandbox.images.max_bytes` in your own configuration to let it in"
            ],
        );
        check(
            image(&ImageError::TooLarge { what: "entries", limit: 5 }),
            &expect![
                "image_too_large: the image has more than 5 entries; raise `sandbox.images.max_files` in your own configuration to let it in"
            ],
        );
        check(
            image(&ImageError::TooLarge { what: "layers", limit: 5 }),
            &expect!["image_too_large: the image has more than 5 layers; nothing of it was kept"],
        );
        check(
            image(&ImageError::Bomb { limit: 5 }),
            &expect![
                "image_too_large: the image unpacks to more than 5 times its size; nothing of it was kept"
            ],
        );
        let mismatch =
            ImageError::Mismatch { what: "a layer".into(), expected: digest(b"a"), found: digest(b"b") };
        check(
            image(&mismatch),
            &expect![
                "image_digest_mismatch: a layer has the digest sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d and not sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb; nothing of it was kept"
            ],
        );
        check(
            image(&ImageError::Unsupported { what: "it is for another machine".into() }),
            &expect!["image_unsupported: it is for another machine"],
        );
        check(
            image(&ImageError::Ambiguous { candidates: vec!["a".into(), "b".into()] }),
            &expect!["image_ambiguous: there are several images: a, b; name one of them with `--image`"],
        );
    }

    #[test]
    fn what_is_wrong_with_names_and_disks_has_its_code() {
        check(
            image(&ImageError::Name { name: "..".into(), reason: "it is none" }),
            &expect!["invalid_name: `..` cannot name an image: it is none"],
        );
        check(
            image(&ImageError::Io { action: "write", path: "/x".into(), source: full() }),
            &expect!["write_failed: cannot write /x: No space left on device (os error 28)"],
        );
        check(
            image(&ImageError::Io { action: "read", path: "/x".into(), source: full() }),
            &expect!["read_failed: cannot read /x: No space left on device (os error 28)"],
        );
        let store = StoreError::Io { action: "make", path: "/x".into(), source: full() };
        check(
            image(&ImageError::Store(store)),
            &expect!["write_failed: cannot make /x: No space left on device (os error 28)"],
        );
    }

    #[test]
    fn every_way_to_fail_with_a_registry_has_its_code() {
        let (registry, repository) = ("r.example".to_owned(), "a/b".to_owned());
        check(
            pull(&PullError::Reference { text: "A B".into(), reason: "no".into() }),
            &expect![
                "invalid_name: `A B` is no image reference: no; write it like `registry.example/name:tag` or `name@sha256:…`"
            ],
        );
        check(
            pull(&PullError::NotFound { reference: "r.example/a:1".into() }),
            &expect![
                "image_not_found: the registry has no image `r.example/a:1`; look at its name and its tag"
            ],
        );
        check(
            pull(&PullError::Denied { registry: registry.clone(), repository }),
            &expect![
                "registry_denied: the registry `r.example` denies access to `a/b`; look at its name, or log in with `docker login`; passwords that a helper program keeps are not asked for"
            ],
        );
        check(
            pull(&PullError::Failed { registry, reason: "connection refused".into() }),
            &expect!["registry_failed: the registry `r.example` cannot be used: connection refused"],
        );
        check(
            pull(&PullError::TimedOut { seconds: 5 }),
            &expect![
                "registry_failed: the image did not come within 5 s; what has come is kept; the next pull goes on from there"
            ],
        );
        check(
            pull(&PullError::Image(ImageError::Bomb { limit: 5 })),
            &expect![
                "image_too_large: the image unpacks to more than 5 times its size; nothing of it was kept"
            ],
        );
    }

    #[test]
    fn a_name_near_an_image_is_offered() {
        let known = || vec!["busybox".to_owned()];
        check(
            find(FindError::NotFound { name: "busybx".into(), known: known() }),
            &expect!["image_not_found: there is no image `busybx`; did you mean `busybox`?"],
        );
        check(
            find(FindError::NotFound { name: "debian".into(), known: known() }),
            &expect!["image_not_found: there is no image `debian`; `guild image list` shows every image"],
        );
        check(
            find(FindError::Ambiguous { name: "00".into(), candidates: known() }),
            &expect!["image_ambiguous: several images are called `00`: busybox; write more of the digest"],
        );
        check(
            remove(RemoveError::InUse { digest: Digest::of(b"") }),
            &expect![
                "image_in_use: the image sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 is in use; a container is running in it; stop that first"
            ],
        );
        let missing = FindError::NotFound { name: "debian".into(), known: known() };
        check(
            resolve("python", ResolveError::Find(missing)),
            &expect![
                "image_not_found: the role `python` cannot be used: there is no image `debian`; bring it in with `guild image pull` or `guild image import`"
            ],
        );
    }
}
