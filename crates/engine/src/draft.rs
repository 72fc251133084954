//! A skill's text while somebody is writing it: what stands in the file now, and what is wrong with what they have written so far.
//!
//! Nothing is written here; `edit` does that.

use guild_catalog::Scope;
use guild_catalog::create::Layout;
use guild_manifest::Digest;

use crate::create::{Content, NewRequest, Owner, judged};
use crate::edit::own;
use crate::hall::Hall;
use crate::reply::{New, ProblemLine};
use crate::vet::policy;
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// The file of a skill of one's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnText {
    /// The whole of it.
    pub text: String,
    /// Its digest, which a change is meant for.
    pub digest: String,
}

/// The text of a skill that may be changed.
///
/// # Errors
/// Where it is not one's own, is no text, or cannot be read.
pub fn own_text(workshop: &Workshop<'_>, name: &str) -> Result<OwnText, Refusal> {
    let entry = own(workshop, name)?;
    let bytes = guild_catalog::bytes(entry)
        .map_err(|error| Refusal::new(Code::ReadFailed, crate::instructions::unreadable(entry, &error)))?;
    let digest = Digest::of(&bytes).to_string();
    let text = String::from_utf8(bytes.into_owned()).map_err(|_| {
        Refusal::new(Code::ReadFailed, format!("the file of `{name}` is no UTF-8, and cannot be edited here"))
    })?;
    Ok(OwnText { text, digest })
}

/// What is wrong with a text that would become the skill of this name: what stops it, or what is still to be mended.
pub fn draft_check(hall: &Hall, name: &str, content: &str) -> New<'static> {
    let request = NewRequest {
        name,
        owner: Owner::Project,
        layout: Layout::Directory,
        content: Content::Whole(content.as_bytes()),
    };
    match judged(Scope::Project, &policy(&hall.config), &request) {
        Ok((_, remarks)) => New {
            name: name.to_owned(),
            path: None,
            scope: Scope::Project.as_str(),
            problems: remarks.into_iter().map(ProblemLine::owned).collect(),
            findings: Vec::new(),
        },
        Err(refused) => refused.data,
    }
}
