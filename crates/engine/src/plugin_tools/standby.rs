//! Containers that stand by: a tool that asks for it is started before it is called, so that a call costs no start.
//!
//! A container answers one call and is gone; the next one is started meanwhile. So nothing of a call is there for another one: no
//! process, no file, no memory. One that nobody calls is let go after a while. Only processes that live on keep any, and only for
//! tools that look: one that asks every time is never started before it was allowed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use guild_manifest::config::Sandbox;
use guild_sandbox::image::Resolved;
use guild_sandbox::{Command, Policy, Stdin};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};

use super::call::request;
use super::contained::{container, told};
use super::kit::Kit;
use super::shipped::{Offer, Shipped};
use super::{answer, failure};
use crate::ports::{ToolCall, ToolError, ToolResult};
use crate::sandbox::{Backends, LimitRequest};
use crate::servers::Conversation;
use crate::workshop::Workshop;

/// How long one waits for a call.
const IDLE: Duration = Duration::from_secs(60);
/// How long its container may live at all, beyond the time that a call may take.
const LIFE: Duration = Duration::from_secs(90);
/// No more stand by at once.
const MOST: usize = 16;
/// What a tool may say before anybody listens, and the longest answer.
const LONGEST_ANSWER: usize = 16 << 20;
/// What tells a program that it is asked over its standard input.
const MARK: (&str, &str) = ("GUILD_WARM", "1");

/// The containers that stand by.
#[derive(Clone, Default)]
pub(crate) struct Standbys(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    ready: HashMap<Key, (u64, Conversation)>,
    count: u64,
}

/// What a container was started for: a tool, its code and its image, and an agent.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    tool: String,
    code: String,
    image: String,
    agent: String,
}

/// Everything that starting one takes.
struct Start {
    backends: Backends,
    settings: Sandbox,
    policy: Policy,
    command: Command,
    image: Resolved,
}

impl Start {
    async fn begin(self) -> Result<Conversation, ToolError> {
        let what = (&self.policy, &self.command);
        Conversation::begin(&self.backends, &self.settings, what, self.image).await.map_err(failure)
    }
}

impl Standbys {
    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, key: &Key) -> Option<Conversation> {
        self.held().ready.remove(key).map(|(_, conversation)| conversation)
    }

    /// Starts one in the background, and lets it go when nobody has called.
    fn prepare(&self, key: Key, start: Start) {
        {
            let held = self.held();
            if held.ready.contains_key(&key) || held.ready.len() >= MOST {
                return;
            }
        }
        let standbys = self.clone();
        tokio::spawn(async move {
            // One that cannot be started is started by the next call, which says why it cannot.
            let Ok(conversation) = start.begin().await else { return };
            let number = {
                let mut held = standbys.held();
                held.count = held.count.wrapping_add(1);
                let number = held.count;
                held.ready.insert(key.clone(), (number, conversation));
                number
            };
            sleep(IDLE).await;
            let mut held = standbys.held();
            if held.ready.get(&key).is_some_and(|(waiting, _)| *waiting == number) {
                held.ready.remove(&key);
            }
        });
    }
}

impl Shipped {
    /// Calls a tool that was started before, or is started now.
    pub(super) async fn run_warm(
        &self,
        workshop: &Workshop<'_>,
        tool: &Offer,
        call: &ToolCall<'_>,
        standbys: &Standbys,
    ) -> Result<ToolResult, ToolError> {
        let key = Key {
            tool: call.tool.to_owned(),
            code: self.staged.tree.digest().to_string(),
            image: self.image.clone(),
            agent: call.agent.to_owned(),
        };
        let env = workshop.environment(&self.environment()).await.map_err(told)?;
        let conversation = match standbys.take(&key) {
            Some(waiting) => waiting,
            None => self.start(workshop, tool, env.clone())?.begin().await?,
        };
        standbys.prepare(key, self.start(workshop, tool, env)?);
        let patience = LimitRequest::default().over(workshop.images.settings()).timeout;
        ask(conversation, &request(&tool.name, call), Instant::now() + patience).await
    }

    fn start(
        &self,
        workshop: &Workshop<'_>,
        tool: &Offer,
        mut env: BTreeMap<String, String>,
    ) -> Result<Start, ToolError> {
        let settings = workshop.images.settings();
        env.insert(MARK.0.to_owned(), MARK.1.to_owned());
        let mut container = container(&self.staged.root, &Kit::in_store(workshop.store)?, env);
        let patience = LimitRequest::default().over(settings).timeout;
        container.limits = LimitRequest {
            timeout: Some(patience + LIFE),
            output: Some(LONGEST_ANSWER as u64),
            ..LimitRequest::default()
        };
        let image = workshop.images.resolve(None).map_err(failure)?;
        let policy = container.policy(settings, image.root.clone(), &[]).map_err(failure)?;
        let command = Command {
            argv: self.words(tool, "serve")?.into_iter().map(Into::into).collect(),
            cwd: "/skill".into(),
            env: BTreeMap::new(),
            stdin: Stdin::Piped,
        };
        Ok(Start { backends: workshop.backends.clone(), settings: settings.clone(), policy, command, image })
    }
}

/// One line in, one line out. Whatever becomes of it, the container is gone with the conversation.
async fn ask(
    mut conversation: Conversation,
    request: &Value,
    until: Instant,
) -> Result<ToolResult, ToolError> {
    let ended = |conversation: &Conversation| {
        let said = conversation.complaint();
        let said = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
        ToolError::Crashed(format!("the tool ended before it had answered{said}"))
    };
    let input = conversation.take_input();
    let Some(input) = input else { return Err(ended(&conversation)) };
    if input.write(format!("{request}\n").into_bytes()).await.is_err() {
        return Err(ended(&conversation));
    }
    let mut heard: Vec<u8> = Vec::new();
    loop {
        if let Some(end) = heard.iter().position(|byte| *byte == b'\n') {
            return told_by(heard.get(..end).unwrap_or_default());
        }
        if heard.len() > LONGEST_ANSWER {
            return Err(ToolError::Failed("the tool's answer is too long".to_owned()));
        }
        match timeout_at(until, conversation.next()).await {
            Err(_) => return Err(ToolError::TimedOut("the tool's time was up".to_owned())),
            Ok(None) => return Err(ended(&conversation)),
            Ok(Some(bytes)) => heard.extend(bytes),
        }
    }
}

/// `{"answer": {…}}` or `{"error": "…"}`.
fn told_by(line: &[u8]) -> Result<ToolResult, ToolError> {
    let mut told = answer::json(line)?;
    if let Some(error) = told.get("error").and_then(Value::as_str) {
        return Err(ToolError::Crashed(format!("the tool failed: {error}")));
    }
    match told.get_mut("answer") {
        Some(answer) => answer::result(answer.take()),
        None => Err(ToolError::NoAnswer("the tool said neither `answer` nor `error`".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_answer_or_says_why_there_is_none() {
        let told = |line: &str| told_by(line.as_bytes()).map(|result| result.text());
        assert_eq!(told(r#"{"answer": {"text": "3 words"}}"#), Ok("3 words".to_owned()));
        assert_eq!(
            told(r#"{"error": "no paper"}"#),
            Err(ToolError::Crashed("the tool failed: no paper".to_owned()))
        );
        assert!(matches!(told("no"), Err(ToolError::NotJson(_))));
        assert!(matches!(told("{}"), Err(ToolError::NoAnswer(_))));
        assert!(matches!(told(r#"{"answer": 3}"#), Err(ToolError::NotAnObject(_))));
    }
}
