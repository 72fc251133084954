//! A command's streams: what is piped in reaches it, what it writes is passed on, and its exit code is ours.

use crate::print::{LiveOutput, Unread};
use crate::runtime;
use crate::ui::{self, Ui};
use guild_engine::Envelope;
use guild_engine::containers::ChildStdin;
use guild_engine::reply::SandboxRun;
use std::io::{self, IsTerminal as _, Read as _};
use std::process::ExitCode;

/// Feeds a command from standard input, unless that is a terminal: a person who types is not meant for a stranger's command.
pub fn stdin() -> Option<Box<dyn FnOnce(ChildStdin) + Send>> {
    (!io::stdin().is_terminal()).then(|| Box::new(feed) as Box<dyn FnOnce(ChildStdin) + Send>)
}

/// The exit code of a command that writes where nobody reads: that of `SIGPIPE`.
const UNREAD: u8 = 128 + 13;

/// Follows a command to its end, or until nobody reads what it says: then what is dropped here ends it.
pub fn follow(
    unread: &Unread,
    command: impl Future<Output = Envelope<SandboxRun>>,
) -> io::Result<Option<Envelope<SandboxRun>>> {
    runtime::block_on(async {
        tokio::select! {
            envelope = command => Some(envelope),
            () = unread.come() => None,
        }
    })
}

/// Ends with the command's own exit code, where it ran.
pub fn finish(ui: &Ui, ended: io::Result<Option<Envelope<SandboxRun>>>, live: &mut LiveOutput) -> ExitCode {
    let shown = live.finish();
    match ended {
        Ok(None) => ExitCode::from(UNREAD),
        Ok(Some(envelope)) => {
            let code = match u8::try_from(envelope.data.exit_code) {
                // The command has ended well; what came of its files may not have.
                Ok(0) | Err(_) => envelope.exit_code(),
                Ok(code) => code,
            };
            let ended = ui.finish_with(&envelope, code, |_, _, _| Ok(()));
            shown.map_or_else(|error| ui::end(&error, code), |()| ended)
        }
        Err(error) => ui.defect(&format!("cannot start a runtime: {error}")),
    }
}

/// On a thread of its own: reading may take for ever, and then ends with the process.
fn feed(stdin: ChildStdin) {
    let pass = move || {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = io::stdin().read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default().to_vec();
            if stdin.write_blocking(bytes).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("stdin".to_owned()).spawn(pass).ok();
}
