//! `changes show`: one change set with what it does to each file.

use super::{id, store};
use crate::diff::{Difference, difference};
use crate::reply::{ChangeDetail, ChangesShow};
use crate::{Envelope, Places, Refusal};
use guild_sandbox::changes::{Change, ChangeSet, Content};

/// Longer files are named and not shown.
const MOST_BYTES: u64 = 512 << 10;

/// Shows one change set.
pub fn changes_show(places: &Places, name: &str) -> Envelope<ChangesShow> {
    let show = || -> Result<ChangesShow, Refusal> {
        let set = store(places)?.load(&id(name)?)?;
        let details = set.changes.iter().map(|change| detail(&set, change)).collect::<Result<_, _>>()?;
        Ok(ChangesShow::of(&set, details))
    };
    match show() {
        Ok(show) => Envelope::ok(show),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, ChangesShow::default()),
    }
}

fn detail(set: &ChangeSet, change: &Change) -> Result<ChangeDetail, Refusal> {
    let contents = set.contents(change, MOST_BYTES)?;
    let difference = match (&contents.base, &contents.new) {
        (Content::None, Content::None) => Difference::None,
        (Content::TooLong, _) | (_, Content::TooLong) => Difference::TooLong,
        (base, new) => difference(bytes(base), bytes(new)),
    };
    Ok(ChangeDetail::of(change, difference))
}

fn bytes(content: &Content) -> &[u8] {
    match content {
        Content::Bytes(bytes) => bytes,
        Content::None | Content::TooLong => &[],
    }
}
