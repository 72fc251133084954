//! `guild changes show`

use crate::print::{Ink, Style, difference, escape};
use crate::ui::Ui;
use guild_engine::changes_show;
use guild_engine::reply::{ChangeDetail, ChangesShow};
use std::io::{self, Write};
use std::process::ExitCode;

pub fn run(id: &str, ui: &Ui) -> ExitCode {
    ui.finish(&changes_show(&ui.places(), id), print)
}

fn print(data: &ChangesShow, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for change in &data.changes {
        print_change(change, style, out)?;
    }
    for refused in data.summary.iter().flat_map(|summary| &summary.refused) {
        let path = escape::exact(&refused.path);
        writeln!(out, "{} {path}: {}", style.ink(Ink::Red, "refused"), escape::line(&refused.reason))?;
    }
    Ok(())
}

fn print_change(change: &ChangeDetail, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let ink = match change.change {
        "added" => Ink::Green,
        "deleted" => Ink::Red,
        _ => Ink::Yellow,
    };
    let path = escape::exact(&change.path);
    write!(out, "{} {} {}", style.ink(ink, change.change), change.node, style.ink(Ink::Bold, &path))?;
    match (&change.old_mode, &change.new_mode) {
        (Some(old), Some(new)) if old != new => write!(out, " (mode {old} → {new})")?,
        _ => {}
    }
    if let Some(target) = &change.target {
        write!(out, " → {}", escape::exact(target))?;
    }
    if change.sensitive {
        write!(out, " {}", style.ink(Ink::Red, "[decides what agents or machines do]"))?;
    }
    writeln!(out)?;
    difference(&change.difference, style, out)
}
