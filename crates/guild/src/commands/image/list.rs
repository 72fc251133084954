//! `guild image list`

use crate::print::{Cell, Ink, Style, size, table};
use crate::ui::Ui;
use guild_engine::reply::{ImageLine, ImageList, RoleLine};
use guild_engine::{counted, image_list};
use std::io::{self, Write};
use std::process::ExitCode;

/// List every image, and the roles with what stands behind them
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Digits of a digest that tell images apart.
const SHORT: usize = 12;

pub fn run(_: &Args, ui: &Ui) -> ExitCode {
    let mut envelope = image_list(&ui.images());
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "image");
    }
    ui.finish(&envelope, print)
}

fn print(data: &ImageList, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !data.images.is_empty() {
        print_images(&data.images, style, out)?;
        writeln!(out)?;
    }
    print_roles(&data.roles, style, out)
}

/// One line a name; an image without any has one all the same.
fn print_images(images: &[ImageLine], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Vec::new();
    for image in images {
        let names: Vec<&str> = match image.names.as_slice() {
            [] => vec!["-"],
            names => names.iter().map(String::as_str).collect(),
        };
        for name in names {
            let roles = if image.roles.is_empty() { "-".to_owned() } else { image.roles.join(",") };
            lines.push([
                name.to_owned(),
                short(&image.digest),
                size(image.bytes),
                image.files.to_string(),
                roles,
            ]);
        }
    }
    let rows: Vec<[Cell<'_>; 5]> = lines
        .iter()
        .map(|[name, digest, size, files, roles]| {
            [
                Cell::new(Ink::Bold, name),
                Cell::plain(digest),
                Cell::plain(size),
                Cell::plain(files),
                Cell::plain(roles),
            ]
        })
        .collect();
    table(["NAME", "DIGEST", "SIZE", "FILES", "ROLES"], &rows, style, out)
}

fn print_roles(roles: &[RoleLine], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let states: Vec<(String, String)> =
        roles.iter().map(|role| (role_name(role), role_value(role))).collect();
    let rows: Vec<[Cell<'_>; 3]> = roles
        .iter()
        .zip(&states)
        .map(|(role, (name, value))| {
            let is_there = role.root != "unusable" && (role.root != "image" || role.digest.is_some());
            let ink = if is_there { Ink::Green } else { Ink::Red };
            [Cell::new(Ink::Bold, name), Cell::new(ink, role.root), Cell::plain(value)]
        })
        .collect();
    table(["ROLE", "ROOT", "WHAT"], &rows, style, out)
}

fn role_name(role: &RoleLine) -> String {
    if role.is_default { format!("{} *", role.name) } else { role.name.clone() }
}

fn role_value(role: &RoleLine) -> String {
    let value = role.value.as_deref().unwrap_or("the host's own programs");
    match (role.root, &role.digest) {
        ("image", None) => format!("{value} (not there: bring it in with `guild image pull` or `import`)"),
        ("image", Some(digest)) => format!("{value} ({})", short(digest)),
        _ => value.to_owned(),
    }
}

fn short(digest: &str) -> String {
    digest.trim_start_matches("sha256:").chars().take(SHORT).collect()
}
