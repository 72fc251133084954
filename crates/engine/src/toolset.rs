//! `mcp.tools` of the person's and the machine's configuration: which tools agents have.

use guild_manifest::config::{Config, Layer, Section};
use guild_manifest::tree::Data;
use guild_manifest::{Code as ProblemCode, Pos, Problem};

use crate::hall::{ConfigFile, path_of};

/// Which tools agents have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Toolset {
    /// Finding, reading and running skills.
    #[default]
    Few,
    /// Those, and managing them; what changes something waits for a person.
    All,
}

impl Toolset {
    /// What the configuration says; the last file that says it counts.
    pub fn of(config: &Config) -> Self {
        sections(config).filter_map(|section| read(section)?.ok()).next_back().unwrap_or_default()
    }
}

/// What is wrong with it. `files` says where each layer was read.
pub(crate) fn problems(config: &Config, files: &[ConfigFile]) -> Vec<Problem> {
    let wrong = sections(config).filter(|section| read(section) == Some(Err(())));
    let problem = |section: &Section| {
        let (what, hint) =
            ("`mcp.tools` is neither \"few\" nor \"all\"", "write `tools = \"all\"`, or leave it out");
        let problem = Problem::new(ProblemCode::ConfigValueInvalid, Pos::START, what, hint);
        problem.in_file(path_of(files, section.layer))
    };
    wrong.map(problem).collect()
}

fn sections(config: &Config) -> impl DoubleEndedIterator<Item = &Section> {
    config.sections.iter().filter(|section| section.name == "mcp" && section.layer != Layer::Project)
}

fn read(section: &Section) -> Option<Result<Toolset, ()>> {
    match section.data.get("tools")? {
        Data::Text(word) if word == "all" => Some(Ok(Toolset::All)),
        Data::Text(word) if word == "few" => Some(Ok(Toolset::Few)),
        _ => Some(Err(())),
    }
}
