//! What goes wrong with installing, as codes and sentences with a remedy.

use crate::cause::with_cause;
use crate::{Code, Refusal};
use guild_sandbox::image::{ImageError, PullError};
use guild_source::archive::ArchiveError;
use guild_source::git::GitError;
use guild_source::http::HttpError;
use guild_source::landing::{LandingError, Unsafe};
use guild_source::lock::LockError;
use guild_source::site::{Site, SiteError};
use guild_source::spec::SpecError;
use guild_source::store::StageError;

/// A source that cannot be one.
pub fn of_spec(error: &SpecError) -> Refusal {
    Refusal::new(Code::SourceInvalid, error.to_string())
}

/// A repository that was not fetched.
pub fn of_git(error: GitError) -> Refusal {
    let (code, remedy) = match error {
        GitError::Missing => (Code::GitMissing, "; install it, or add a directory or an archive"),
        GitError::TimedOut { .. } => (Code::SourceUnreachable, "; try again"),
        GitError::Denied { .. } => (
            Code::SourceDenied,
            "; check the name, and that `git ls-remote` of it works for you: Guildhall uses your own git credentials",
        ),
        GitError::Failed { .. } => (Code::SourceUnreachable, ""),
        GitError::NoReference { ref reference, .. } if is_short(reference) => {
            (Code::SourceRefUnknown, "; a commit is named by its whole id")
        }
        GitError::NoReference { .. } => (Code::SourceRefUnknown, ""),
        GitError::NoPath { .. } => (Code::PathNotFound, ""),
        GitError::Landing(error) => return of_landing(&error),
        GitError::Write { .. } => (Code::WriteFailed, ""),
    };
    Refusal::new(code, format!("{}{remedy}", with_cause(&error)))
}

/// Whether a ref looks like the beginning of a commit's id, which servers do not look for.
fn is_short(reference: &str) -> bool {
    (7..40).contains(&reference.len()) && reference.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A file that was not downloaded.
pub fn of_http(error: HttpError) -> Refusal {
    let code = match error {
        HttpError::Address { .. } => Code::SourceInvalid,
        HttpError::Denied { .. } => Code::SourceDenied,
        HttpError::Failed { .. } => Code::SourceUnreachable,
        HttpError::TooLarge { .. } => Code::UnpackBomb,
        HttpError::Write { .. } => Code::WriteFailed,
    };
    Refusal::new(code, with_cause(&error))
}

/// An artifact that was not fetched.
pub fn of_registry(error: &PullError) -> Refusal {
    let (code, remedy) = match error {
        PullError::Reference { .. } => (Code::SourceInvalid, ""),
        PullError::NotFound { .. } => (Code::SourceRefUnknown, "; look at its name and its tag"),
        PullError::Denied { .. } => (
            Code::SourceDenied,
            "; look at its name, or log in with `docker login`; passwords that a helper program keeps are not asked for",
        ),
        PullError::Failed { .. } | PullError::TimedOut { .. } => (Code::SourceUnreachable, "; try again"),
        PullError::Image(ImageError::TooLarge { .. }) => (Code::UnpackBomb, ""),
        PullError::Image(ImageError::Mismatch { .. }) => (Code::SourceChanged, "; nothing of it was kept"),
        PullError::Image(ImageError::Io { .. } | ImageError::Store(_)) => (Code::WriteFailed, ""),
        PullError::Image(_) => (Code::SourceInvalid, ""),
    };
    Refusal::new(code, format!("{}{remedy}", with_cause(error)))
}

/// An archive that was not unpacked.
pub fn of_archive(error: ArchiveError) -> Refusal {
    match error {
        ArchiveError::Landing(error) => of_landing(&error),
        ArchiveError::NoArchive { .. } | ArchiveError::Packed { .. } => {
            Refusal::new(Code::ArchiveInvalid, error.to_string())
        }
        ArchiveError::Read { .. } => Refusal::new(Code::ReadFailed, with_cause(&error)),
    }
}

/// An archive that came from an address, which is what people know of it.
pub fn of_download(url: &str, error: ArchiveError) -> Refusal {
    if !matches!(error, ArchiveError::NoArchive { .. }) {
        return of_archive(error);
    }
    let message = format!(
        "what came from {url} is no zip or tar archive; open it in a browser: it may be a page to log in at"
    );
    Refusal::new(Code::ArchiveInvalid, message)
}

/// Files that did not land.
pub fn of_landing(error: &LandingError) -> Refusal {
    let code = match error {
        LandingError::Refused { why, .. } => match why {
            Unsafe::Path => Code::UnsafePath,
            Unsafe::Link => Code::UnsafeLink,
            Unsafe::Collision => Code::NameCollision,
            Unsafe::Bomb => Code::UnpackBomb,
            Unsafe::Special => Code::SpecialFile,
            Unsafe::SetId => Code::SetIdFile,
            Unsafe::Name => Code::UnsafeName,
        },
        LandingError::Write { .. } => Code::WriteFailed,
        LandingError::Broken(_) => Code::ArchiveInvalid,
    };
    Refusal::new(code, format!("{}; nothing of it was kept", with_cause(error)))
}

/// A tree that was not staged.
pub fn of_staging(name: &str, error: StageError) -> Refusal {
    match error {
        StageError::Refused { .. } | StageError::Tree(_) => {
            Refusal::new(Code::SkillFilesRefused, format!("`{name}` is not installed: {error}"))
        }
        StageError::TooLarge(_) => {
            Refusal::new(Code::SkillTooLarge, format!("`{name}` is too large: {error}"))
        }
        StageError::Read { .. } => Refusal::new(Code::ReadFailed, with_cause(&error)),
        StageError::Store(error) => error.into(),
    }
}

/// A site without a lock, where that must be there.
pub fn of_missing_lock(site: &Site) -> Refusal {
    let message = format!(
        "there is no {}, so that nothing says what is to be installed; commit the one that `guild add` writes",
        site.lock_file().display()
    );
    Refusal::new(Code::LockMissing, message)
}

/// A site that cannot be read or changed.
pub fn of_site(error: SiteError) -> Refusal {
    let code = match error {
        SiteError::Lock { source: LockError::Newer { .. }, .. } => Code::LockNewer,
        SiteError::Lock { .. } => {
            let message =
                format!("{error}; restore it from your version control, or remove it and add again");
            return Refusal::new(Code::LockInvalid, message);
        }
        SiteError::Link { .. } => Code::InstallPlaceRefused,
        SiteError::Interfered { .. } => Code::InstallConflict,
        SiteError::Store(error) => return error.into(),
        SiteError::Io { action: "read", .. } => Code::ReadFailed,
        SiteError::Io { .. } => Code::WriteFailed,
    };
    Refusal::new(code, with_cause(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(refusal: &Refusal, expected: &Expect) {
        expected.assert_eq(&format!("{}: {}", refusal.code.as_str(), refusal.message));
    }

    #[test]
    fn what_somebody_else_changed_meanwhile_is_left_to_them() {
        let error = SiteError::Interfered { path: "/p/.guild/skills/a".into() };
        check(
            &of_site(error),
            &expect!["install_conflict: /p/.guild/skills/a was changed by somebody else meanwhile"],
        );
    }

    #[test]
    fn a_repository_that_does_not_answer_may_answer_later() {
        let error = GitError::TimedOut { url: "https://git.example/a".to_owned() };
        check(
            &of_git(error),
            &expect!["source_unreachable: https://git.example/a did not answer in time; try again"],
        );
    }
}
