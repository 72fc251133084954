//! `changes show`: one change set with what it does to each file.

use super::{id, store};
use crate::diff::{Difference, difference};
use crate::reply::{ChangeDetail, ChangesShow};
use crate::{Envelope, Places, Refusal};
use guild_sandbox::changes::{Change, ChangeSet, Content};

/// Longer files are named and not shown.
const MOST_BYTES: u64 = 512 << 10;

/// What is read and shown of a whole set, in bytes and with this many more for every line: beyond it files are named and not shown either.
/// A set is what a stranger's command wrote, and shown it would be many times as large.
const MOST_SHOWN: u64 = 16 << 20;
const LINE: u64 = 32;

/// Shows one change set.
pub fn changes_show(places: &Places, name: &str) -> Envelope<ChangesShow> {
    let show = || -> Result<ChangesShow, Refusal> {
        let set = store(places)?.load(&id(name)?)?;
        // What decides what agents do is not left out because of all the rest.
        let (mut sensitive, mut others) = (MOST_SHOWN, MOST_SHOWN);
        let details = set.changes.iter().map(|change| {
            let left = if change.sensitive { &mut sensitive } else { &mut others };
            detail(&set, change, left)
        });
        let details = details.collect::<Result<_, _>>()?;
        Ok(ChangesShow::of(&set, details))
    };
    match show() {
        Ok(show) => Envelope::ok(show),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, ChangesShow::default()),
    }
}

/// One change, which takes what it shows from what is left to be shown.
fn detail(set: &ChangeSet, change: &Change, left: &mut u64) -> Result<ChangeDetail, Refusal> {
    let contents = set.contents(change, MOST_BYTES.min(*left))?;
    let read = bytes(&contents.base).len() + bytes(&contents.new).len();
    let difference = match (&contents.base, &contents.new) {
        (Content::None, Content::None) => Difference::None,
        (Content::TooLong, _) | (_, Content::TooLong) => Difference::TooLong,
        (base, new) => difference(bytes(base), bytes(new)),
    };
    *left = left.saturating_sub(read as u64 + LINE * lines(&difference));
    Ok(ChangeDetail::of(change, difference))
}

fn lines(difference: &Difference) -> u64 {
    match difference {
        Difference::Lines { hunks } => hunks.iter().map(|hunk| hunk.lines.len() as u64).sum(),
        Difference::None | Difference::Binary | Difference::TooLong | Difference::Unknown => 0,
    }
}

fn bytes(content: &Content) -> &[u8] {
    match content {
        Content::Bytes(bytes) => bytes,
        Content::None | Content::TooLong => &[],
    }
}
