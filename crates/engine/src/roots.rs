//! `roots`: every directory that is searched, in order.
//!
//! What is in them is `list`'s to say.

use crate::Envelope;
use crate::hall::Hall;
use crate::reply::{RootLine, Roots};
use guild_catalog::conventions::Holds;

/// Lists the roots.
pub fn roots(hall: &Hall) -> Envelope<Roots> {
    let line = |root: &guild_catalog::Root| RootLine {
        path: root.path.to_string_lossy().into_owned(),
        scope: root.scope.as_str(),
        convention: root.convention,
        holds: if root.holds == Holds::Skills { "skills" } else { "plugins" },
        priority: root.priority,
        status: root.status.as_str(),
    };
    Envelope::ok(Roots { roots: hall.snapshot.roots.iter().map(line).collect() })
}
