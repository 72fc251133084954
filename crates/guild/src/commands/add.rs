//! `guild add`

use crate::commands::switching;
use crate::confirm::choose;
use crate::installing::{SiteArgs, candidates, changes, findings, preview, wished, within};
use crate::ui::Ui;
use guild_engine::reply::{Add, CandidateLine, PluginPreview};
use guild_engine::{AddRequest, Choice, Code, Wish, add, get_ready_to_vet};
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

/// Install skills and plugins, pinned by content in a lock file
///
/// A repository is fetched by git with your own credentials; nothing of it is run. What comes is vetted: a denial refuses it, a warning
/// is shown. It goes to `.guild/skills` or `.guild/plugins` of the project, or of your home directory with `--user`, and `guild.lock`
/// says where every byte came from. A skill is on then; a plugin is off until you have seen what it brings and want it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Where from: owner/repo, the URL of a repository or of a page of it, a directory, an archive, npm:PACKAGE, oci:ARTIFACT, mcp:SERVER or marketplace:SOURCE
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Only these skills or plugins
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    skill: Vec<String>,
    /// Everything in it
    #[arg(long, conflicts_with = "skill")]
    all: bool,
    /// Install nothing, and list what is in it
    #[arg(long, conflicts_with_all = ["skill", "all"])]
    list: bool,
    /// The branch, tag or commit
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// Link to the directory instead of copying it, for skills that you are writing
    #[arg(long)]
    link: bool,
    /// Replace what is installed under the same name, local edits included
    #[arg(long)]
    replace: bool,
    /// Leave out what the vet denies, instead of refusing everything
    #[arg(long)]
    skip_denied: bool,
    #[command(flatten)]
    site: SiteArgs,
}

const EXAMPLES: &str = "Examples:
  guild add anthropics/skills --list
  guild add anthropics/skills --skill pdf,docx
  guild add acme/skills/review@v1.2.0
  guild add git@git.example:team/skills.git --all --user
  guild add marketplace:acme/market --list
  guild add mcp:tracker/triage
  guild add ./my-skill --link";

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    if !args.list && args.site.is_in_person() {
        get_ready_to_vet();
    }
    let choice = match () {
        () if args.list => Choice::List,
        () if args.all => Choice::All,
        () if args.skill.is_empty() => Choice::Only,
        () => Choice::Named(args.skill.clone()),
    };
    let ask = |found: &[CandidateLine]| pick(ui, found);
    let request = AddRequest {
        source: &args.source,
        reference: args.reference.as_deref(),
        choice,
        scope: args.site.scope(),
        link: args.link,
        replace: args.replace,
        skip_denied: args.skip_denied,
        ask: if ui.is_terminal() && !ui.is_json() { Some(&ask) } else { None },
    };
    let wish = Wish::Install {
        source: args.source.clone(),
        reference: args.reference.clone(),
        names: args.skill.clone(),
        all: args.all,
        scope: args.site.scope(),
    };
    let waits = wished(ui, &args.site, wish, |reply: &mut Add, id| reply.request = Some(id));
    let envelope =
        waits.unwrap_or_else(|| within(ui, &args.site, async |installer| add(installer, &request).await));
    if !ui.is_json() {
        ui.show(|style, out| findings(&envelope.data.vetted, style, out)).ok();
    }
    let code = ui.finish(&envelope, |data, style, out| {
        if args.list || envelope.code == Code::ChoiceRequired {
            candidates(&data.candidates, style, out)?;
        }
        changes(&data.installed, style, out)
    });
    if request.ask.is_some() {
        envelope.data.previews.iter().for_each(|plugin| offer(ui, plugin));
    }
    code
}

/// Shows what a plugin brings, and switches it on where the person wants that.
fn offer(ui: &Ui, plugin: &PluginPreview) {
    ui.show(|style, out| preview(plugin, style, out)).ok();
    if matches!(choose("Switch it on?", &["yes", "no"]), Ok(Some("yes"))) {
        switching::plugin_on(&plugin.name, ui);
    } else {
        ui.tell_line(&format!("plugin `{}` stays off", plugin.name));
    }
}

/// Asks which of several are meant: their numbers or names, or `all`; nothing where the person goes away.
fn pick(ui: &Ui, found: &[CandidateLine]) -> Option<Vec<String>> {
    let numbered: Vec<CandidateLine> = found
        .iter()
        .enumerate()
        .map(|(at, line)| CandidateLine { name: format!("{}) {}", at + 1, line.name), ..line.clone() })
        .collect();
    if ui.shows_progress() {
        // The line that says how far it is would stand before the table.
        write!(io::stderr(), "\r\x1b[K").ok();
    }
    ui.show(|style, out| candidates(&numbered, style, out)).ok()?;
    loop {
        write!(io::stderr(), "Which ones? Numbers or names with commas between them, or all: ").ok()?;
        io::stderr().flush().ok()?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(names) = chosen(line.trim(), found) {
            return Some(names);
        }
    }
}

/// The names that an answer means; nothing where one of them is none.
fn chosen(answer: &str, found: &[CandidateLine]) -> Option<Vec<String>> {
    if answer == "all" {
        return Some(found.iter().filter(|line| line.loaded).map(|line| line.name.clone()).collect());
    }
    let name = |word: &str| {
        let by_number = word.parse::<usize>().ok().and_then(|number| found.get(number.checked_sub(1)?));
        let line = by_number.or_else(|| found.iter().find(|line| line.name == word))?;
        Some(line.name.clone())
    };
    let words: Vec<&str> = answer.split([',', ' ']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { None } else { words.into_iter().map(name).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_all_are_answers_and_nothing_else_is() {
        let line = |name: &str| CandidateLine {
            name: name.to_owned(),
            kind: "skill",
            path: String::new(),
            description: String::new(),
            loaded: name != "broken",
        };
        let found = ["a", "b", "broken"].map(line);
        let answer = |text| chosen(text, &found);
        assert_eq!(answer("2, a").unwrap(), ["b", "a"]);
        assert_eq!(answer("all").unwrap(), ["a", "b"]);
        assert_eq!([answer(""), answer("0"), answer("4"), answer("a,x")], [None, None, None, None]);
    }
}
