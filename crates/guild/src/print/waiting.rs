//! The line that says what is running and for how long, until it says something itself.

use super::escape;
use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Before this nobody wonders.
const SOON: Duration = Duration::from_millis(600);
/// How often the line is written anew.
const OFTEN: Duration = Duration::from_millis(200);

/// A line on a terminal that is written over and over, and gone at the end.
pub struct Waiting {
    is_shown: bool,
    what: String,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    Running,
    Drawn,
    Over,
}

impl Waiting {
    /// The line for something, if there is a terminal to show it on.
    pub fn new(is_shown: bool, what: &str) -> Self {
        Self { is_shown, what: escape::exact(what), state: Arc::default() }
    }

    /// Begins to show it.
    pub fn start(&self) {
        if !self.is_shown {
            return;
        }
        let (state, what) = (Arc::clone(&self.state), self.what.clone());
        *lock(&state.0) = State::Running;
        let draw = move || {
            let begin = Instant::now();
            let (state, changed) = &*state;
            let mut now = lock(state);
            let mut pause = SOON;
            while *now != State::Over {
                now = changed.wait_timeout(now, pause).unwrap_or_else(PoisonError::into_inner).0;
                if *now != State::Over {
                    write!(io::stderr(), "\r\x1b[Krunning {what}: {} s", begin.elapsed().as_secs()).ok();
                    *now = State::Drawn;
                }
                pause = OFTEN;
            }
        };
        std::thread::Builder::new().name("waiting".to_owned()).spawn(draw).ok();
    }

    /// Takes the line away, for good.
    pub fn stop(&self) {
        let mut state = lock(&self.state.0);
        if *state == State::Drawn {
            write!(io::stderr(), "\r\x1b[K").ok();
        }
        if *state != State::Idle {
            *state = State::Over;
            self.state.1.notify_all();
        }
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
