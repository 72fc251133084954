//! What happens while an image is brought in, told as it happens.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::digest::Digest;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is known what is to be fetched.
    Resolved {
        /// The image.
        digest: Digest,
        /// How many blobs it has, its configuration among them.
        blobs: usize,
        /// Their bytes together.
        bytes: u64,
    },
    /// Bytes of a blob have come.
    Received {
        /// How many since the last time.
        bytes: u64,
    },
    /// A blob is there.
    Fetched {
        /// Which one.
        digest: Digest,
        /// Its bytes.
        bytes: u64,
        /// Whether it was there already, from a pull that did not end.
        was_there: bool,
    },
    /// A request failed and will be made again.
    Retrying {
        /// After how long.
        after: Duration,
        /// Why.
        reason: String,
    },
    /// A layer is being unpacked.
    Unpacking {
        /// Which one, from one.
        layer: usize,
        /// Of how many.
        of: usize,
    },
    /// Everything is unpacked and is being written to the disk for good.
    Settling,
}

/// Whoever wants to be told.
#[derive(Clone, Default)]
pub struct Listener(Option<Arc<Listen>>);

type Listen = dyn Fn(&Event) + Send + Sync;

impl Listener {
    /// Tells a function, which may be called from any thread.
    pub fn new(listen: impl Fn(&Event) + Send + Sync + 'static) -> Listener {
        Listener(Some(Arc::new(listen)))
    }

    pub(super) fn tell(&self, event: &Event) {
        if let Some(listen) = &self.0 {
            listen(event);
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
