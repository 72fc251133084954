//! `guild top`

mod draw;
mod matter;
mod plain;
mod rows;
mod screen;
mod view;

use crate::premises::{self, failed};
use crate::runtime;
use crate::ui::Ui;
use guild_engine::{Envelope, Premises, Pulse, Refusal, Status, decide, pulse, reply, top};
use screen::{Heard, Screen};
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use view::{Act, View};

/// Between two looks at whether something has happened.
const PAUSE: Duration = Duration::from_millis(250);
/// Between two looks at the files of skills, and at what expires without anybody's doing.
const LONG_PAUSE: Duration = Duration::from_secs(2);

/// Watch runs, answer requests and see problems, live in the terminal
///
/// What waits for an answer comes first. Enter opens a request: who asks, the exact command, what it may use, the findings, and what
/// has changed since you approved it last. There `o` allows it once, `a` always and `d` denies it, each once more confirmed with Enter.
/// Tab goes to the runs and the problems, `q` ends. No server is needed. Where no terminal is, or with `--once`, everything is printed
/// once; with `--json` as one envelope.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print everything once instead of following it
    #[arg(long)]
    once: bool,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let is_live = !args.once && !ui.is_json() && ui.is_terminal() && io::stdout().is_terminal();
    let ended = runtime::block_on(async {
        let premises = premises::open(ui).await?;
        ui.warn_of_ignored(&premises.hall());
        if is_live { follow(&premises, ui).await.map(|()| None) } else { Ok(Some(top(&premises).await)) }
    });
    let envelope: Envelope<reply::Top> = match ended.unwrap_or_else(|error| Err(failed(&error))) {
        Ok(None) => return ExitCode::SUCCESS,
        Ok(Some(envelope)) => envelope,
        Err(refusal) => refusal.into_envelope(),
    };
    ui.finish(&envelope, |data, style, out| match envelope.status {
        Status::Ok => plain::print(data, style, out),
        Status::Error => Ok(()),
    })
}

/// Shows what is going on until the person has seen enough.
async fn follow(premises: &Arc<Premises>, ui: &Ui) -> Result<(), Refusal> {
    let mut view = View::new(ui.style().colour);
    let mut screen = Screen::open().map_err(|error| failed(&error))?;
    let (mut known, mut looked) = (Pulse::default(), None::<Instant>);
    loop {
        if looked.is_none_or(|at| at.elapsed() >= LONG_PAUSE) {
            if let Some(why) = look_again(premises).await {
                view.tell(false, &why);
            }
            (known, looked) = (Pulse::default(), Some(Instant::now()));
        }
        let felt = pulse(premises).await;
        if felt != known {
            known = felt;
            view.take(top(premises).await, ui.moment());
        }
        screen.draw(|frame| draw::draw(frame, &mut view)).map_err(|error| failed(&error))?;
        match screen.hear(PAUSE).await.map_err(|error| failed(&error))? {
            Heard::Nothing => {}
            Heard::End => return Ok(()),
            Heard::Key(key) => match view.press(key) {
                Act::Stay => {}
                Act::Quit => return Ok(()),
                Act::Decide(id, answer) => {
                    let decided = decide(premises, &id, answer.decision(), ui.principal(None)).await;
                    view.tell(decided.status == Status::Ok, &decided.message);
                    known = Pulse::default();
                }
            },
        }
    }
}

/// Looks at the files of skills, and at runs whose process is gone. What cannot be seen now stays as it was, and the reason is told.
async fn look_again(premises: &Arc<Premises>) -> Option<String> {
    let refreshed = premises.refresh().await.map_err(|error| error.to_string());
    let settled = premises.settle().await.map_err(|refusal| refusal.message);
    refreshed.err().or(settled.err())
}
