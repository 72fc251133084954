//! The whole terminal, taken for as long as the view is open, and given back however it ends.

use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};
use std::io::{self, Stdout};
use std::panic;
use std::time::Duration;

/// A terminal that shows nothing but the view.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    ending: Ending,
}

/// What came in while one waited.
pub enum Heard {
    /// Nothing that matters.
    Nothing,
    /// A key.
    Key(KeyEvent),
    /// Somebody wants the program to end.
    End,
}

impl Screen {
    /// Takes the terminal.
    pub fn open() -> io::Result<Self> {
        let ending = Ending::new()?;
        let told = panic::take_hook();
        // A defect is told on the terminal as it was.
        panic::set_hook(Box::new(move |panic| {
            give_back();
            told(panic);
        }));
        enable_raw_mode()?;
        let opened = execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match opened {
            Ok(terminal) => Ok(Self { terminal, ending }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Draws the view anew; only what differs is written.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(view).map(drop)
    }

    /// Waits for a key, for so long at the most.
    pub async fn hear(&mut self, patience: Duration) -> io::Result<Heard> {
        // On a thread of its own, since the terminal cannot be waited for as everything else is.
        let typing = tokio::task::spawn_blocking(move || match event::poll(patience)? {
            true => event::read().map(Some),
            false => Ok(None),
        });
        let heard = tokio::select! {
            heard = typing => heard.map_err(io::Error::other)??,
            () = self.ending.come() => return Ok(Heard::End),
        };
        Ok(match heard {
            Some(Event::Key(key)) if key.kind == KeyEventKind::Press => Heard::Key(key),
            _ => Heard::Nothing,
        })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Leaves the terminal as it was. Where it is gone nothing can be given back.
fn give_back() {
    execute!(io::stdout(), LeaveAlternateScreen, cursor::Show).ok();
    disable_raw_mode().ok();
}

/// Tells when somebody else wants the program to end; Ctrl-C is a key here.
#[cfg(unix)]
struct Ending {
    terminated: tokio::signal::unix::Signal,
    hung_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ending {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminated: signal(SignalKind::terminate())?, hung_up: signal(SignalKind::hangup())? })
    }

    async fn come(&mut self) {
        tokio::select! {
            _ = self.terminated.recv() => {}
            _ = self.hung_up.recv() => {}
        }
    }
}

/// The same where nobody sends such signals.
#[cfg(not(unix))]
struct Ending;

#[cfg(not(unix))]
impl Ending {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn come(&mut self) {
        std::future::pending().await
    }
}
