//! How far an image has come: one line on a terminal that is written over and over, and gone at the end.
//!
//! Where nobody watches, only what went wrong on the way is said.

use super::{escape, size};
use guild_engine::containers::image::{Event, Listener};
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The line is written at most so often.
const OFTEN: Duration = Duration::from_millis(100);

/// The progress of one image.
#[derive(Clone)]
pub struct Progress {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether there is a terminal to write the line on.
    is_shown: bool,
    /// Whether anything is to be said at all.
    is_told: bool,
    blobs: usize,
    fetched: usize,
    bytes: u64,
    received: u64,
    drawn: Option<Instant>,
}

impl Progress {
    /// Progress that is shown on a terminal, or only told where something goes wrong.
    pub fn new(is_shown: bool, is_told: bool) -> Self {
        Self { state: Arc::new(Mutex::new(State { is_shown, is_told, ..State::default() })) }
    }

    /// What the engine tells.
    pub fn listener(&self) -> Listener {
        let state = Arc::clone(&self.state);
        Listener::new(move |event| {
            // A thread that failed while it held the state has left nothing behind that matters.
            let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            state.note(event);
        })
    }

    /// Takes the line away.
    pub fn finish(&self) {
        let state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if state.drawn.is_some() {
            write!(io::stderr(), "\r\x1b[K").ok();
        }
    }
}

impl State {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Resolved { blobs, bytes, .. } => (self.blobs, self.bytes) = (*blobs, *bytes),
            Event::Received { bytes } => self.received += bytes,
            Event::Fetched { bytes, was_there, .. } => {
                self.fetched += 1;
                self.received += if *was_there { *bytes } else { 0 };
            }
            Event::Retrying { .. } | Event::Unpacking { .. } | Event::Settling => {}
        }
        if let Event::Retrying { after, reason } = event
            && self.is_told
        {
            let clear = if self.drawn.take().is_some() { "\r\x1b[K" } else { "" };
            let reason = escape::line(reason);
            writeln!(io::stderr(), "{clear}trying again in {:.1} s: {reason}", after.as_secs_f64()).ok();
        }
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= OFTEN);
        if self.is_shown && (is_due || !matches!(event, Event::Received { .. })) {
            write!(io::stderr(), "\r\x1b[K{}", self.line(event)).ok();
            self.drawn = Some(Instant::now());
        }
    }

    fn line(&self, event: &Event) -> String {
        match event {
            Event::Unpacking { layer, of } => format!("unpacking layer {layer} of {of}"),
            Event::Settling => "writing it down".to_owned(),
            _ => format!(
                "{} of {}, {} of {} parts",
                size(self.received.min(self.bytes)),
                size(self.bytes),
                self.fetched,
                self.blobs
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_engine::containers::image::Digest;

    #[test]
    fn the_line_says_how_far_it_has_come() {
        let digest = Digest::of(b"");
        let mut state = State::default();
        let mut lines = Vec::new();
        for event in [
            Event::Resolved { digest, blobs: 3, bytes: 3_000_000 },
            Event::Fetched { digest, bytes: 1_000_000, was_there: true },
            Event::Received { bytes: 1_500_000 },
            Event::Fetched { digest, bytes: 2_000_000, was_there: false },
            Event::Unpacking { layer: 1, of: 2 },
            Event::Settling,
        ] {
            state.note(&event);
            lines.push(state.line(&event));
        }
        let expected = [
            "0 B of 3.0 MB, 0 of 3 parts",
            "1.0 MB of 3.0 MB, 1 of 3 parts",
            "2.5 MB of 3.0 MB, 1 of 3 parts",
            "2.5 MB of 3.0 MB, 2 of 3 parts",
            "unpacking layer 1 of 2",
            "writing it down",
        ];
        assert_eq!(lines, expected);
    }
}
