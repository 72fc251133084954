//! Being told of changes instead of looking for them: the kernel watches the directories that a snapshot was made of.
//!
//! It says that something has happened and never what: whoever is told looks again. Where not everything can be watched it says so,
//! and whoever asks goes on looking from time to time.

mod ground;
mod linux;

pub use linux::Watch;

/// What came of following a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// Everything was watched before already: what has not been told has not happened.
    All,
    /// Everything is watched from now on. What happened between the look and this was not told, so that one more look is due.
    Anew,
    /// Some of it cannot be watched, for want of room or because its file system tells nobody what others do.
    InPart,
}

#[cfg(test)]
mod tests;
