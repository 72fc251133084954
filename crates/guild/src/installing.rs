//! What the commands that install share: who may, what they work with, and the line that says how far it is.

use crate::books::{self, Access, Lesson, ask};
use crate::print::{Ink, Style, escape, finding};
use crate::runtime;
use crate::shelf::LateShelf;
use crate::ui::Ui;
use crate::workshop;
use guild_engine::catalog::Freshness;
use guild_engine::ledger::via;
use guild_engine::ports::Shelf;
use guild_engine::reply::{CandidateLine, InstalledChange, PluginPreview, VettedCandidate, Wished};
use guild_engine::{
    Books, Code, Envelope, Hall, HostGit, InstallScope, Installer, Principal, Refusal, Registrar, Switching,
    Wish, configure, is_unsettled, may_install, recover_install, wish,
};
use std::io::{self, Write};
use std::mem::ManuallyDrop;

/// Where things are installed, and who asks.
#[derive(Debug, clap::Args)]
pub struct SiteArgs {
    /// Your own installation, for every project, instead of this project's
    #[arg(long)]
    user: bool,
    /// Ask as this agent; agents change nothing: what they wish to add or remove waits for an admin, all else is refused
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

impl SiteArgs {
    /// Whether a person asks, and no agent.
    pub fn is_in_person(&self) -> bool {
        self.agent.is_none()
    }

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
    let by = ui.principal(args.agent.as_deref());
    ask(ui, Access::Write, async |books| {
        let now = ui.moment();
        if let Err(refusal) = may_install(books, now, &by).await {
            return refusal.into_envelope();
        }
        let hall = hall(ui, books).await;
        at_desk(ui, &hall, Some(books), Some(Registrar { books, by, now }), work).await
    })
}

/// Works on what is installed as the person at this machine.
pub fn in_person<T: Default>(
    ui: &Ui,
    scope: InstallScope,
    work: impl AsyncFnOnce(&Installer<'_>) -> Envelope<T>,
) -> Envelope<T> {
    within(ui, &SiteArgs { user: scope == InstallScope::User, agent: None }, work)
}

/// Leaves an agent's wish in the books, where it is an agent that asks.
pub fn wished<T: Default>(
    ui: &Ui,
    args: &SiteArgs,
    asked: Wish,
    note: impl Fn(&mut T, String),
) -> Option<Envelope<T>> {
    let by = ui.principal(Some(args.agent.as_deref()?));
    let left = workshop::within(ui, async |workshop| wish(workshop, &by, asked).await);
    let left: Envelope<Wished> = left.unwrap_or_else(Refusal::into_envelope);
    Some(left.map(|left| {
        let mut reply = T::default();
        left.request.into_iter().for_each(|request| note(&mut reply, request));
        reply
    }))
}

/// Looks at what is installed, which everybody may.
pub fn look<T: Default>(ui: &Ui, work: impl AsyncFnOnce(&Installer<'_>) -> Envelope<T>) -> Envelope<T> {
    let hall = books::hall(ui, Freshness::Indexed, Lesson::Allowed);
    runtime::block_on(at_desk(ui, &hall, None, None, work)).unwrap_or_else(|error| {
        Envelope::error(Code::Internal, format!("cannot start a runtime: {error}"), T::default())
    })
}

/// The same where the person's MCP servers may have to be asked, which takes the books: they say which secrets a server is told.
pub fn look_around<T: Default>(
    ui: &Ui,
    work: impl AsyncFnOnce(&Installer<'_>) -> Envelope<T>,
) -> Envelope<T> {
    if !Books::exist(&ui.places(), &configure(&ui.config_files()).config) {
        return look(ui, work);
    }
    ask(ui, Access::Read, async |books| {
        let hall = hall(ui, books).await;
        at_desk(ui, &hall, Some(books), None, work).await
    })
}

/// Carries through what a killed process had begun to install, before anybody looks at what there is.
pub fn recover(ui: &Ui) {
    let (machine, places) = (ui.machine(), ui.places());
    let recovered = match is_unsettled(machine, &places) {
        Ok(false) => return,
        Ok(true) => ask(ui, Access::Write, async |books| {
            let registrar = Registrar { books, by: Principal::person(via::JOURNAL), now: ui.moment() };
            match recover_install(machine, &places, &registrar).await {
                Ok(()) => Envelope::ok(()),
                Err(refusal) => refusal.into_envelope(),
            }
        }),
        Err(refusal) => refusal.into_envelope(),
    };
    if recovered.code != Code::Ok {
        ui.warn(&format!("what was being installed is not in its place yet: {}", recovered.message));
    }
}

/// What there is, with what the books say of it.
async fn hall(ui: &Ui, books: &Books) -> ManuallyDrop<Hall> {
    let mut hall = ui.hall_with(Switching::of(books).await, &ui.config_files(), Freshness::Indexed);
    Lesson::Allowed.learn(ui, &mut hall, books).await;
    hall
}

async fn at_desk<T: Default>(
    ui: &Ui,
    hall: &Hall,
    books: Option<&Books>,
    registrar: Option<Registrar<'_>>,
    work: impl AsyncFnOnce(&Installer<'_>) -> Envelope<T>,
) -> Envelope<T> {
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
    let servers = books.map(|books| LateShelf::new(ui, hall, (&places, &store), books));
    let shelf = servers.as_ref().map(|servers| -> &dyn Shelf { servers });
    let installer =
        Installer { hall, places: &places, store: &store, git: &git, shelf, progress: &progress, registrar };
    let envelope = work(&installer).await;
    if is_shown {
        write!(io::stderr(), "\r\x1b[K").ok();
    }
    envelope
}

/// Shows what a plugin brings.
pub fn preview(preview: &PluginPreview, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let version = preview.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let title = format!("plugin {}{version}", preview.name);
    writeln!(out, "{}", style.ink(Ink::Bold, &escape::line(&title)))?;
    let author: Vec<String> = preview.author.iter().cloned().collect();
    let description: Vec<String> =
        Some(&preview.description).filter(|text| !text.is_empty()).into_iter().cloned().collect();
    let rows = [
        ("what it is", &description),
        ("made by", &author),
        ("skills", &preview.skills),
        ("tools", &preview.tools),
        ("MCP servers", &preview.servers),
        ("in prompts", &preview.prompt_sections),
        ("hooks", &preview.hooks),
        ("commands", &preview.commands),
        ("agents", &preview.agents),
        ("needs", &preview.required_env),
        ("builds on", &preview.dependencies),
    ];
    for (label, values) in rows.into_iter().filter(|(_, values)| !values.is_empty()) {
        writeln!(out, "  {label:<12}{}", escape::line(&values.join(", ")))?;
    }
    Ok(())
}

/// So many that are as they were are named one by one.
const NAMED: usize = 5;

/// Prints what has become of each; of many that are as they were only how many.
pub fn changes(changes: &[InstalledChange], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let is_unchanged = |change: &&InstalledChange| change.change == "unchanged";
    let unchanged = changes.iter().filter(is_unchanged).count();
    let told = changes.iter().filter(|change| unchanged <= NAMED || !is_unchanged(change));
    for change in told {
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
    if unchanged > NAMED {
        let word = style.ink(Ink::Dim, "unchanged");
        let what =
            if unchanged == changes.len() { format!("all {unchanged}") } else { format!("{unchanged} more") };
        writeln!(out, "{word} {what}")?;
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
