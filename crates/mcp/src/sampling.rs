//! Child agents that the client's own model runs: a client of an earlier era that offers sampling is asked for every turn, and the tools
//! that a turn calls are ours.
//!
//! It counts where the person's configuration names no runner. What the model says is a stranger's: bounded, and never obeyed beyond calling
//! tools that the engine lets it call.

#![expect(deprecated, reason = "earlier eras are served by what the last one has dropped")]

use std::sync::Arc;

use guild_engine::ports::{Pending, SubagentError, SubagentRunner, SubagentTask, ToolWord};
use guild_engine::security_hash::RunnerIdentity;
use guild_engine::{Code, RunnerBudget, Workshop};
use rmcp::model::{
    ContentBlock, CreateMessageRequestParams, CreateMessageResult, ModelHint, ModelPreferences,
    ProtocolVersion, Role, SamplingMessage, SamplingMessageContentBlock, Tool, ToolResultContent,
    ToolUseContent,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServiceError};
use serde_json::json;

/// What receipts and questions call it.
const KIND: &str = "sampling";
const NAME: &str = "client";
const TARGET: &str = "the model of the agent's own client";
/// How many tools one turn may call.
const MOST_CALLS: usize = 32;
/// As many characters make a token, where nobody counts them.
const CHARACTERS: usize = 4;

/// Whoever runs child agents for one client.
pub(crate) struct Sampling<'a> {
    configured: Option<&'a dyn SubagentRunner>,
    client: Option<Client>,
}

struct Client {
    peer: Peer<RoleServer>,
    takes_tools: bool,
}

impl<'a> Sampling<'a> {
    /// The configured runners, and behind them the client that asks now, if it offers its model.
    pub(crate) fn behind(
        configured: Option<&'a dyn SubagentRunner>,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let is_stateless =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let offered = context.client_capabilities().filter(|_| !is_stateless);
        let offered = offered.and_then(|capabilities| capabilities.sampling);
        let client = offered
            .map(|offered| Client { peer: context.peer.clone(), takes_tools: offered.tools.is_some() });
        Self { configured, client }
    }

    /// Nobody, where neither is there.
    pub(crate) fn runner(&self) -> Option<&(dyn SubagentRunner + '_)> {
        (self.configured.is_some() || self.client.is_some()).then_some(self)
    }
}

impl SubagentRunner for Sampling<'_> {
    fn choose(&self, workshop: &Workshop<'_>, skill: &str, model: Option<&str>) -> Option<RunnerIdentity> {
        let configured = self.configured.and_then(|runner| runner.choose(workshop, skill, model));
        let own = || RunnerIdentity {
            name: NAME.to_owned(),
            kind: KIND.to_owned(),
            target: TARGET.to_owned(),
            model: model.map(str::to_owned),
            tools: Vec::new(),
        };
        configured.or_else(|| self.client.as_ref().map(|_| own()))
    }

    fn run<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        task: &'a SubagentTask<'a>,
    ) -> Pending<'a, Result<String, SubagentError>> {
        match (&self.client, self.configured) {
            (Some(client), _) if task.runner.kind == KIND => Box::pin(client.talk(task)),
            (_, Some(configured)) => configured.run(workshop, task),
            _ => Box::pin(async { Err(SubagentError::Unavailable("nobody runs it any more".to_owned())) }),
        }
    }
}

impl Client {
    /// Asks turn by turn until there is an answer or a budget is used up.
    async fn talk(&self, task: &SubagentTask<'_>) -> Result<String, SubagentError> {
        let budget = RunnerBudget::default();
        if !self.takes_tools && !task.tools.offered().is_empty() {
            let message = "the client's model takes no tools (`sampling.tools`), and the skill has some; name a runner under \
                           `[runners]`, or scope the skill to none";
            return Err(SubagentError::Unavailable(message.to_owned()));
        }
        let mut messages = vec![SamplingMessage::user_text(task.task)];
        let mut spent = 0;
        for step in 1..=budget.steps {
            (task.tell)(&format!("asks the client's model (step {step})"));
            let told = self.peer.create_message(asked(task, &messages, &budget)).await.map_err(unheard)?;
            let turn = Turn::of(&told);
            task.transcript.note("assistant", &turn.noted(&told.model));
            spent += size(&messages) + turn.text.len() / CHARACTERS;
            if turn.calls.is_empty() {
                return ended(&told, turn.text, &budget);
            }
            if u64::try_from(spent).unwrap_or(u64::MAX) >= budget.tokens {
                let message = format!("its {} tokens are used up, and it has no answer yet", budget.tokens);
                return Err(SubagentError::Exhausted(message));
            }
            let results = call_all(task, &turn.calls).await;
            messages.push(SamplingMessage::new_multiple(Role::Assistant, told.message.content.into_vec()));
            messages.push(SamplingMessage::new_multiple(Role::User, results));
        }
        Err(SubagentError::Exhausted(format!(
            "its {} steps are used up, and it has no answer yet",
            budget.steps
        )))
    }
}

/// What a model said at once.
struct Turn {
    text: String,
    calls: Vec<ToolUseContent>,
}

impl Turn {
    fn of(told: &CreateMessageResult) -> Self {
        let (mut text, mut calls) = (String::new(), Vec::new());
        for block in told.message.content.iter() {
            match block {
                SamplingMessageContentBlock::Text(said) => text.push_str(&said.text),
                SamplingMessageContentBlock::ToolUse(call) => calls.push(call.clone()),
                _ => {}
            }
        }
        Self { text, calls }
    }

    fn noted(&self, model: &str) -> serde_json::Value {
        let calls: Vec<&str> = self.calls.iter().map(|call| call.name.as_str()).collect();
        json!({"text": self.text, "calls": calls, "model": model})
    }
}

fn asked(
    task: &SubagentTask<'_>,
    messages: &[SamplingMessage],
    budget: &RunnerBudget,
) -> CreateMessageRequestParams {
    let mut params = CreateMessageRequestParams::new(messages.to_vec(), budget.answer_tokens);
    params.system_prompt = Some(task.instructions.to_owned());
    if let Some(model) = &task.runner.model {
        let mut wanted = ModelPreferences::new();
        wanted.hints = Some(vec![ModelHint::new(model.clone())]);
        params.model_preferences = Some(wanted);
    }
    let tools: Vec<Tool> = task
        .tools
        .offered()
        .iter()
        .map(|tool| {
            let input = tool.input.as_object().cloned().unwrap_or_default();
            Tool::new(tool.short.clone(), tool.description.clone(), Arc::new(input))
        })
        .collect();
    params.tools = (!tools.is_empty()).then_some(tools);
    params
}

/// Calls what a turn wants to be called, one after the other.
async fn call_all(task: &SubagentTask<'_>, calls: &[ToolUseContent]) -> Vec<SamplingMessageContentBlock> {
    let mut results = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let meant = task.tools.offered().iter().find(|tool| tool.short == call.name);
        let word = match meant {
            _ if at >= MOST_CALLS => refused("too many calls at once; call it again"),
            None => refused("there is no such tool"),
            Some(tool) => {
                (task.tell)(&format!("calls {}", tool.name));
                task.tools.call(&tool.name, call.input.clone()).await
            }
        };
        let content = vec![ContentBlock::text(word.text)];
        results.push(SamplingMessageContentBlock::ToolResult(match word.code {
            Code::Ok => ToolResultContent::new(call.id.clone(), content),
            _ => ToolResultContent::error(call.id.clone(), content),
        }));
    }
    results
}

fn refused(message: &str) -> ToolWord {
    let code = Code::ToolInputInvalid;
    ToolWord { text: format!("{}: {message}", code.as_str()), code }
}

/// What is left of a turn that calls nothing.
fn ended(told: &CreateMessageResult, text: String, budget: &RunnerBudget) -> Result<String, SubagentError> {
    if told.stop_reason.as_deref() == Some("maxTokens") {
        let message = format!("its answer is longer than {} tokens", budget.answer_tokens);
        return Err(SubagentError::Exhausted(message));
    }
    Ok(text)
}

fn unheard(error: ServiceError) -> SubagentError {
    SubagentError::Unavailable(format!("the client does not let its model answer: {error}"))
}

/// About as many tokens as a client's model reads.
fn size(messages: &[SamplingMessage]) -> usize {
    let bytes = |message: &SamplingMessage| serde_json::to_string(message).map_or(0, |text| text.len());
    messages.iter().map(bytes).sum::<usize>() / CHARACTERS
}
