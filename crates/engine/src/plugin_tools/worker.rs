//! A program of a tool that runs already and is asked over its standard input: a line of JSON in, a line out.
//!
//! A worker of our own kit answers each call in a process of its own, and says when nothing of the call is left. Every other program
//! is asked once.

use std::time::Duration;

use guild_sandbox::ChildStdin;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::answer;
use crate::ports::{ToolError, ToolResult};
use crate::servers::Conversation;

/// The longest answer, and what a program may say before anybody listens.
pub(super) const LONGEST_ANSWER: usize = 16 << 20;
/// How long a worker may take to leave nothing of a call.
const RESET: Duration = Duration::from_secs(10);

/// A program that waits to be asked. Dropping it ends its container.
pub(super) struct Worker {
    conversation: Conversation,
    input: Option<ChildStdin>,
    heard: Vec<u8>,
    /// Whether it says when it is ready, and so can be asked more than once.
    resets: bool,
    is_ready: bool,
    /// When it was started.
    pub born: Instant,
}

impl Worker {
    /// A program that was just started.
    pub(super) fn of(mut conversation: Conversation, resets: bool) -> Self {
        let input = conversation.take_input();
        Self { conversation, input, heard: Vec::new(), resets, is_ready: !resets, born: Instant::now() }
    }

    /// One line in, one line out.
    pub(super) async fn ask(&mut self, request: &Value, until: Instant) -> Result<ToolResult, ToolError> {
        if !self.is_ready && !self.is_told_ready(until).await? {
            return Err(ToolError::Failed("the worker says something before it was asked".to_owned()));
        }
        self.is_ready = false;
        let Some(input) = &self.input else { return Err(self.ended()) };
        if input.write(format!("{request}\n").into_bytes()).await.is_err() {
            return Err(self.ended());
        }
        told_by(&self.line(until).await?)
    }

    /// Whether it can be asked again: it says that nothing of the last call is left, and says nothing else.
    pub(super) async fn is_reset(&mut self) -> bool {
        self.resets && matches!(self.is_told_ready(Instant::now() + RESET).await, Ok(true))
    }

    async fn is_told_ready(&mut self, until: Instant) -> Result<bool, ToolError> {
        let line = self.line(until).await?;
        let told: Option<Value> = serde_json::from_slice(&line).ok();
        let says_so = told.is_some_and(|told| told.get("ready") == Some(&Value::Bool(true)));
        self.is_ready = says_so && self.heard.is_empty();
        Ok(self.is_ready)
    }

    async fn line(&mut self, until: Instant) -> Result<Vec<u8>, ToolError> {
        let mut seen = 0;
        loop {
            let unseen = self.heard.get(seen..).unwrap_or_default();
            if let Some(end) = unseen.iter().position(|byte| *byte == b'\n') {
                let rest = self.heard.split_off(seen + end + 1);
                return Ok(std::mem::replace(&mut self.heard, rest));
            }
            seen = self.heard.len();
            if seen > LONGEST_ANSWER {
                return Err(ToolError::Failed("the tool's answer is too long".to_owned()));
            }
            match timeout_at(until, self.conversation.next()).await {
                Err(_) => return Err(ToolError::TimedOut("the tool's time was up".to_owned())),
                Ok(None) => return Err(self.ended()),
                Ok(Some(bytes)) => self.heard.extend(bytes),
            }
        }
    }

    fn ended(&self) -> ToolError {
        let said = self.conversation.complaint();
        let said = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
        ToolError::Crashed(format!("the tool ended before it had answered{said}"))
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
