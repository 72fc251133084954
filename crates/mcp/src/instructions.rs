//! What a client's model is told of this server before anything is asked: how to use it, and the skills where they are few.

use guild_engine::catalog::prompt::Budget;
use guild_engine::manifest::config::PromptFormat;
use guild_engine::{Hall, PromptRequest, counted, offered, prompt};

/// Clients cut longer instructions.
const CHARACTERS: usize = 2_000;
/// More skills than this are found by searching; a list that leaves most of them out would mislead.
const FEW: usize = 30;

const USE: &str = "\
Guildhall keeps skills: instructions and tools that people have written for tasks like yours. Before you begin a task, call \
`skill_search` with what it is about. Where a skill clearly applies, read it with `skill_load` and follow it; `skill_run` runs \
one that has a script or a tool, in a container. A run may wait for a person's approval: the answer then says what to do.";

/// The instructions for an agent.
pub(crate) fn of(hall: &Hall, agent: &str) -> String {
    let count = offered(hall, agent).len();
    if count == 0 {
        return USE.to_owned();
    }
    if count > FEW {
        return format!("{USE}\n\nThere are {}; search for them.", counted(count, "skill"));
    }
    let left = CHARACTERS.saturating_sub(USE.len() + 2);
    let request = PromptRequest {
        agent,
        format: Some(PromptFormat::Bullets),
        budget: Some(Budget::Characters(left)),
        file: None,
    };
    format!("{USE}\n\n{}", prompt(hall, &request).data.text).trim_end().to_owned()
}
