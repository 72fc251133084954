//! `guild new`

use crate::print::escape;
use crate::ui::Ui;
use clap::ValueEnum;
use guild_engine::catalog::create::Layout;
use guild_engine::manifest::skill::MAX_FILE_BYTES;
use guild_engine::reply::New;
use guild_engine::{Code, Content, Envelope, NewRequest, Owner, Status, configure, create, policy};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a new skill, from a template or from a file
///
/// It goes to `.guild/skills` of the project, or of your home directory with `--scope user`. Nothing is ever overwritten, and
/// content that would not load, or that the vet denies, is refused. Its path is printed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The skill's name: letters, digits, `.`, `_` and `-`
    #[arg(value_name = "NAME")]
    name: String,
    /// Whose skill it is
    #[arg(long, value_enum, default_value_t = Whose::Project)]
    scope: Whose,
    /// Write `NAME.md` instead of a directory with a `SKILL.md`
    #[arg(long)]
    flat: bool,
    /// What the skill does and when to use it, for the template
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Take the whole content from this file, or from standard input with `-`
    #[arg(long, value_name = "FILE", conflicts_with = "description")]
    from: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Whose {
    /// The project's, for everybody who works on it
    Project,
    /// Yours, in every project
    User,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let content = args.from.as_deref().map(|path| read(ui.machine().directory.as_path(), path));
    let mut envelope = match content.transpose() {
        Ok(content) => write(args, content.as_deref(), ui),
        Err(error) => {
            let file = args.from.as_deref().unwrap_or(Path::new("")).display();
            let reply = New {
                name: args.name.clone(),
                path: None,
                scope: args.scope.word(),
                problems: Vec::new(),
                findings: Vec::new(),
            };
            Envelope::error(Code::ReadFailed, format!("cannot read `{file}`: {error}"), reply)
        }
    };
    if let Some(path) = &envelope.data.path {
        envelope.message = format!("fill it in, then run `guild check {path}`");
    }
    if envelope.status == Status::Error {
        ui.tell_problems(&envelope.data.problems, Path::new(""));
        ui.tell_findings(&envelope.data.findings);
    }
    ui.finish(&envelope, |data, _, out| match &data.path {
        Some(path) => writeln!(out, "{}", escape::exact(path)),
        None => Ok(()),
    })
}

fn write(args: &Args, content: Option<&[u8]>, ui: &Ui) -> Envelope<New<'static>> {
    let request = NewRequest {
        name: &args.name,
        owner: if args.scope == Whose::User { Owner::User } else { Owner::Project },
        layout: if args.flat { Layout::Flat } else { Layout::Directory },
        content: content.map_or(Content::Template(args.description.as_deref()), Content::Whole),
    };
    create(ui.machine(), &policy(&configure(&ui.config_files()).config), &request)
}

impl Whose {
    fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// The bytes of a file or of standard input, as many as a skill may have and one more.
fn read(directory: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let source: &mut dyn Read =
        if path == Path::new("-") { &mut io::stdin().lock() } else { &mut File::open(directory.join(path))? };
    source.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
