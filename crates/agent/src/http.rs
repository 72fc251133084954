//! A model behind an address: it is told its instructions and its task, calls tools in rounds, and gives one answer.
//!
//! What comes from there is a stranger's: bounded, never obeyed beyond calling tools that the engine lets it call. The key goes there
//! and nowhere else.

mod anthropic;
mod client;
mod event_stream;
mod openai;
mod turn;

use guild_engine::ports::{OfferedTool, SubagentError, SubagentTask, ToolWord};
use guild_engine::{Code, HttpRunner, Protocol, Workshop};
use serde_json::{Map, Value, json};

use client::Client;
use turn::{Call, Stop, Turn};

/// How many tools one turn may call.
const MOST_CALLS: usize = 32;

/// What has been said so far, as the protocol has it.
pub(crate) struct Talk<'a> {
    pub(crate) runner: &'a HttpRunner,
    pub(crate) model: &'a str,
    pub(crate) system: &'a str,
    pub(crate) tools: &'a [OfferedTool],
    pub(crate) messages: Vec<Value>,
}

/// What a tool said, to one call.
pub(crate) struct Said<'a> {
    pub(crate) call: &'a Call,
    pub(crate) word: ToolWord,
}

/// Talks until there is an answer or a budget is used up.
pub(crate) async fn run(
    runner: &HttpRunner,
    workshop: &Workshop<'_>,
    task: &SubagentTask<'_>,
) -> Result<String, SubagentError> {
    let client = Client::new(runner, workshop, task).await?;
    let mut talk = Talk {
        runner,
        model: task.runner.model.as_deref().unwrap_or_default(),
        system: task.instructions,
        tools: task.tools.offered(),
        messages: vec![json!({"role": "user", "content": task.task})],
    };
    let (mut spent, mut answer) = (0_u64, String::new());
    for step in 1..=runner.max_steps {
        (task.tell)(&format!("asks {} (step {step})", talk.model));
        let turn = client.turn(&talk).await?;
        task.transcript.note("assistant", &turn.noted());
        spent = spent.saturating_add(turn.tokens);
        if !turn.text.trim().is_empty() {
            answer.clone_from(&turn.text);
        }
        if turn.calls.is_empty() {
            return ended(turn, answer, runner);
        }
        if spent >= runner.token_budget {
            let budget = runner.token_budget;
            return Err(SubagentError::Exhausted(format!(
                "its {budget} tokens are used up, and it has no answer yet"
            )));
        }
        let said = call_all(task, &turn).await;
        match runner.protocol {
            Protocol::Openai => openai::append(&mut talk.messages, &turn, &said),
            Protocol::Anthropic => anthropic::append(&mut talk.messages, &turn, &said),
        }
    }
    Err(SubagentError::Exhausted(format!(
        "its {} steps are used up, and it has no answer yet",
        runner.max_steps
    )))
}

/// What is left of a turn that calls nothing.
fn ended(turn: Turn, answer: String, runner: &HttpRunner) -> Result<String, SubagentError> {
    match turn.stop {
        Stop::Length => {
            let most = runner.max_tokens;
            Err(SubagentError::Exhausted(format!("its answer is longer than {most} tokens (`max_tokens`)")))
        }
        Stop::Refused => Err(SubagentError::Failed("the model refused to answer".to_owned())),
        Stop::Done => Ok(answer),
    }
}

/// Calls what a turn wants to be called, one after the other.
async fn call_all<'t>(task: &SubagentTask<'_>, turn: &'t Turn) -> Vec<Said<'t>> {
    let mut said = Vec::new();
    for (at, call) in turn.calls.iter().enumerate() {
        let meant = task.tools.offered().iter().find(|tool| tool.short == call.name);
        let word = match (meant, &call.input) {
            _ if at >= MOST_CALLS => refused(format!("only {MOST_CALLS} calls at once; call it again")),
            (None, _) => refused(format!("there is no tool `{}`", shown(&call.name))),
            (_, None) => refused("its arguments are no JSON object".to_owned()),
            (Some(tool), Some(input)) => {
                (task.tell)(&format!("calls {}", tool.name));
                task.tools.call(&tool.name, input.clone()).await
            }
        };
        said.push(Said { call, word });
    }
    said
}

fn refused(message: String) -> ToolWord {
    let code = Code::ToolInputInvalid;
    ToolWord { text: format!("{}: {message}", code.as_str()), code }
}

/// A name that a model made up, short and harmless.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// An object out of a text; an empty text is an empty object, since tools without parameters are called so.
pub(crate) fn object_of(text: &str) -> Option<Map<String, Value>> {
    if text.trim().is_empty() {
        return Some(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Adds a field to an object.
pub(crate) fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}
