//! How far a long operation is, on standard error where that is a terminal, and gone when it ends.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The columns of the bar.
const WIDTH: usize = 30;
/// Fewer steps than these are over before anybody reads.
const FEWEST: usize = 20;

/// A bar; it draws nothing where nobody looks.
#[derive(Debug)]
pub struct Bar {
    is_shown: bool,
    /// The last percentage that was drawn.
    drawn: AtomicUsize,
}

impl Bar {
    /// A bar, unless silence is wanted.
    pub fn new(silent: bool) -> Self {
        let is_shown = !silent && io::stderr().is_terminal();
        Self { is_shown, drawn: AtomicUsize::new(usize::MAX) }
    }

    /// Draws how far it is; the last step wipes the bar.
    pub fn show(&self, done: usize, total: usize) {
        if !self.is_shown || total < FEWEST {
            return;
        }
        let percent = done.saturating_mul(100) / total;
        if self.drawn.swap(percent, Ordering::Relaxed) == percent && done < total {
            return;
        }
        let line = if done >= total { "\r\x1b[2K".to_owned() } else { bar(done, total) };
        let mut stderr = io::stderr().lock();
        stderr.write_all(line.as_bytes()).and_then(|()| stderr.flush()).ok();
    }
}

fn bar(done: usize, total: usize) -> String {
    let filled = done.saturating_mul(WIDTH) / total.max(1);
    format!("\r[{}{}] {done}/{total}", "#".repeat(filled), ".".repeat(WIDTH.saturating_sub(filled)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_from_the_left() {
        assert_eq!(bar(0, 60), "\r[..............................] 0/60");
        assert_eq!(bar(20, 60), "\r[##########....................] 20/60");
    }
}
