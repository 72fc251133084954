//! Discover, rank and render: every skill and plugin on a machine as one immutable snapshot.

pub mod prompt;
pub mod search;
