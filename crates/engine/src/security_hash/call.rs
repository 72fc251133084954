//! From the name of a tool to a skill of one line that calls it, so that a call by itself is hashed and approved like any other.

use super::payload::{Payload, Surroundings};
use super::stage::Staged;
use crate::vet::policy;
use crate::{Code, Hall, Refusal};
use guild_manifest::skill::{Contract, Dispatch, Hints, Kind, Skill, Workspace};
use guild_source::store::{Content, MemoryFile, Store, Stored};
use serde_json::json;

/// The file of such a skill.
const FILE: &str = "SKILL.md";
/// Its name.
const NAME: &str = "call";

/// Stages the skill that calls this tool and does nothing else.
///
/// # Errors
/// Where the store cannot keep it.
pub(crate) fn stage_call(hall: &Hall, dispatch: &Dispatch, store: &Store) -> Result<Staged, Refusal> {
    let text = text(dispatch);
    let files = [MemoryFile { path: FILE, bytes: text.as_bytes(), executable: false }];
    let stored = store.stage(&Content::Memory(&files));
    let Stored { tree, root, .. } =
        stored.map_err(|error| Refusal::staging_of("the call of a tool", error))?;
    let own =
        tree.file(FILE).ok_or_else(|| Refusal::new(Code::Internal, "what was staged is not there"))?.clone();
    let skill = skill(dispatch);
    let around = Surroundings { plugin: None, policy: policy(&hall.config).version(), image: None };
    let payload = Payload::new(&skill, &own, &tree, around);
    let security_hash = store.put(payload.text()?.as_bytes())?;
    Ok(Staged {
        root,
        directory: String::new(),
        body: String::new(),
        argument_names: Vec::new(),
        hints: Hints::default(),
        image: None,
        tree,
        skill,
        payload,
        security_hash,
    })
}

/// The same as a file. A JSON text is one in YAML too.
fn text(dispatch: &Dispatch) -> String {
    let Dispatch { provider, tool } = dispatch;
    let qualified = format!("{provider}:{tool}");
    format!(
        "---\nname: {NAME}\ndescription: Calls one tool\ncommand_tool_provider: {}\ncommand_tool: {}\n\
         capabilities: {{declared_tools: [{}], workspace: none}}\n---\n",
        json!(provider),
        json!(tool),
        json!(qualified)
    )
}

fn skill(dispatch: &Dispatch) -> Skill {
    let contract = Contract {
        dispatch: Some(dispatch.clone()),
        tools: vec![format!("{}:{}", dispatch.provider, dispatch.tool)],
        workspace: Workspace::None,
        ..Contract::default()
    };
    Skill {
        name: NAME.to_owned(),
        aliases: Vec::new(),
        title: None,
        description: String::new(),
        when_to_use: None,
        kind: Kind::Tool,
        model_invocable: false,
        user_invocable: true,
        paths: Vec::new(),
        requirements: None,
        contract: Some(Box::new(contract)),
    }
}
