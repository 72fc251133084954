//! What the commands that install share: who may, what they work with, and the line that says how far it is.

use crate::books::{self, Access, ask};
use crate::print::{Ink, Style, escape, finding};
use crate::runtime;
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::{CandidateLine, InstalledChange, VettedCandidate};
use guild_engine::{Code, Envelope, HostGit, InstallScope, Installer, may_install};
use std::io::{self, Write};

/// Where things are installed, and who asks.
#[derive(Debug, clap::Args)]
pub struct SiteArgs {
    /// Your own installation, for every project, instead of this project's
    #[arg(long)]
    user: bool,
    /// Ask as this agent; agents cannot change what is installed, and their wish leaves a receipt
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

impl SiteArgs {
    /// Whose installation is meant.
    pub fn scope(&self) -> InstallScope {
        if self.user { InstallScope::User } else { InstallScope::Project }
    }
}

/// Works on what is installed, if whoever asks may.
pub fn within<T: Default>(
    ui: &Ui,
    args: &SiteArgs,
    work: impl AsyncFnOnce(&Installer<'_>) -> Envelope<T>,
) -> Envelope<T> {
    if args.agent.is_some() {
        let by = ui.principal(args.agent.as_deref());
        let asked: Envelope<T> =
            ask(ui, Access::Write, async |books| match may_install(books, ui.moment(), &by).await {
                Ok(()) => Envelope::ok(T::default()),
                Err(refusal) => refusal.into_envelope(),
            });
        if asked.code != Code::Ok {
            return asked;
        }
    }
    look(ui, work)
}

/// Looks at what is installed, which everybody may.
pub fn look<T: Default>(ui: &Ui, work: impl AsyncFnOnce(&Installer<'_>) -> Envelope<T>) -> Envelope<T> {
    let mut hall = ui.hall(Freshness::Indexed);
    books::allow(ui, &mut hall);
    let places = ui.places();
    let store = match places.store() {
        Ok(store) => store,
        Err(refusal) => return refusal.into_envelope(),
    };
    let git = HostGit::new(&ui.machine().env, ui.is_terminal());
    let is_shown = ui.shows_progress();
    let progress = |text: &str| {
        if is_shown {
            write!(io::stderr(), "\r\x1b[K{}", escape::line(text)).ok();
        }
    };
    let installer = Installer { hall: &hall, places: &places, store: &store, git: &git, progress: &progress };
    let envelope = runtime::block_on(work(&installer));
    if is_shown {
        write!(io::stderr(), "\r\x1b[K").ok();
    }
    envelope.unwrap_or_else(|error| {
        Envelope::error(Code::Internal, format!("cannot start a runtime: {error}"), T::default())
    })
}

/// Prints what has become of each.
pub fn changes(changes: &[InstalledChange], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for change in changes {
        let ink = match change.change {
            "installed" => Ink::Green,
            "removed" => Ink::Red,
            "unchanged" => Ink::Dim,
            _ => Ink::Yellow,
        };
        let name = escape::line(&change.name);
        write!(out, "{} {} {}", style.ink(ink, change.change), change.kind, style.ink(Ink::Bold, &name))?;
        write!(out, " ({}", escape::line(&change.source))?;
        if let Some(resolved) = &change.resolved {
            write!(out, " at {}", escape::line(&short(resolved)))?;
        }
        writeln!(out, ")")?;
    }
    Ok(())
}

/// As much of a commit or a digest as people compare.
pub fn short(resolved: &str) -> String {
    let digits = resolved.strip_prefix("sha256:").unwrap_or(resolved);
    digits.chars().take(12).collect()
}

/// Prints what a source holds.
pub fn candidates(candidates: &[CandidateLine], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    use crate::print::{Cell, table};
    let rows: Vec<[Cell<'_>; 4]> = candidates
        .iter()
        .map(|candidate| {
            [
                Cell::new(if candidate.loaded { Ink::Bold } else { Ink::Red }, &candidate.name),
                Cell::plain(candidate.kind),
                Cell::plain(if candidate.path.is_empty() { "." } else { &candidate.path }),
                Cell::plain(if candidate.loaded { &candidate.description } else { "does not load" }),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    table(["NAME", "KIND", "PATH", "DESCRIPTION"], &rows, style, out)
}

/// Says what the vet found.
pub fn findings(vetted: &[VettedCandidate], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for candidate in vetted {
        let ink = if candidate.verdict == "deny" { Ink::Red } else { Ink::Yellow };
        writeln!(out, "{}: {}", style.ink(ink, candidate.verdict), escape::line(&candidate.name))?;
        candidate.findings.iter().try_for_each(|line| finding(line, style, out))?;
    }
    Ok(())
}
