//! `guild image inspect`

use crate::print::{Ink, Style, escape, size};
use crate::ui::Ui;
use guild_engine::image_inspect;
use guild_engine::reply::{ImageDetail, ImageInspect};
use std::io::{self, Write};
use std::process::ExitCode;

/// Show everything about one image
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its name, its digest, or the beginning of that
    #[arg(value_name = "NAME")]
    name: String,
    /// Read the whole image and say whether it is still what was unpacked
    #[arg(long)]
    verify: bool,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let envelope = image_inspect(&ui.images(), &args.name, args.verify);
    ui.finish(&envelope, print)
}

fn print(data: &ImageInspect, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(image) = &data.image else { return Ok(()) };
    for (label, value) in lines(image) {
        if !value.is_empty() {
            let label = format!("{label:<12}");
            writeln!(out, "{} {}", style.ink(Ink::Dim, &label), escape::line(&value))?;
        }
    }
    Ok(())
}

/// What there is to say, a line each; a list has its label on the first.
fn lines(image: &ImageDetail) -> Vec<(&'static str, String)> {
    let line = &image.line;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let mut lines = vec![
        ("digest", format!("{} (of its {})", line.digest, line.kind)),
        ("content", image.content.clone()),
        (
            "intact",
            image.intact.map(|intact| if intact { "yes" } else { "NO" }.to_owned()).unwrap_or_default(),
        ),
        ("names", line.names.join(", ")),
        ("roles", line.roles.join(", ")),
        ("platform", text(&line.platform)),
        ("size", format!("{} in {} files", size(line.bytes), line.files)),
        ("left out", left_out(image.skipped)),
        ("created", text(&line.created)),
        ("imported", line.imported.clone()),
        ("root", image.root.clone()),
        ("entrypoint", words(&image.config.entrypoint)),
        ("command", words(&image.config.cmd)),
        ("directory", image.config.working_dir.clone()),
        ("user", image.config.user.clone()),
    ];
    lines.extend(listed("variables", image.config.env.iter().cloned()));
    lines.extend(listed("labels", image.config.labels.iter().map(|(name, value)| format!("{name}={value}"))));
    lines.extend(listed(
        "layers",
        image.layers.iter().map(|layer| format!("{} {}", layer.digest, size(layer.bytes))),
    ));
    lines.extend(listed(
        "sources",
        image.sources.iter().map(|from| format!("{} as {} at {}", from.source, from.name, from.at)),
    ));
    lines
}

fn listed(
    label: &'static str,
    items: impl Iterator<Item = String>,
) -> impl Iterator<Item = (&'static str, String)> {
    items.enumerate().map(move |(index, item)| (if index == 0 { label } else { "" }, item))
}

fn left_out(skipped: u64) -> String {
    match skipped {
        0 => String::new(),
        1 => "1 device or pipe".to_owned(),
        count => format!("{count} devices or pipes"),
    }
}

/// Words of a command, quoted where one has blanks.
fn words(words: &[String]) -> String {
    let quoted = |word: &String| {
        if word.is_empty() || word.contains(char::is_whitespace) { format!("{word:?}") } else { word.clone() }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
