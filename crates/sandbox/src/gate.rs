//! What a command waits for behind its walls.
//!
//! A container takes its time to be made, and so does writing down that a command is about to run in it. With a gate both are done at
//! once, and the command runs when both are done.

use tokio::sync::oneshot;

use crate::backend::LaunchError;

/// Holds a command back until somebody opens it.
#[derive(Debug)]
pub struct Gate(Option<oneshot::Receiver<()>>);

/// Opens a gate. One that is dropped leaves it shut for good.
#[derive(Debug)]
pub struct Key(oneshot::Sender<()>);

impl Gate {
    /// A gate that is shut, and its key.
    pub fn shut() -> (Key, Gate) {
        let (key, gate) = oneshot::channel();
        (Key(key), Gate(Some(gate)))
    }

    /// A gate that holds nobody back.
    pub fn open() -> Gate {
        Gate(None)
    }

    /// Comes back when it is open, and fails if it never will be.
    pub async fn opened(self) -> Result<(), LaunchError> {
        match self.0 {
            None => Ok(()),
            Some(gate) => gate.await.map_err(|_| LaunchError::Ended),
        }
    }

    /// The same for a thread without a runtime.
    #[cfg(target_os = "linux")]
    pub(crate) fn wait(self) -> Result<(), LaunchError> {
        match self.0 {
            None => Ok(()),
            Some(gate) => gate.blocking_recv().map_err(|_| LaunchError::Ended),
        }
    }

    /// Whether it has never held anybody back.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_none()
    }
}

impl Key {
    /// Lets the command run.
    pub fn open(self) {
        // Whoever waited may have given up.
        let _ = self.0.send(());
    }
}
