//! What a server asks a person in the midst of a call, in either era, and what it is told.
//!
//! With a handshake a server asks by a request of its own, which does not say about which call: where several are open at once, it is
//! told that nobody answers. Without one, the question is the call's answer.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use guild_engine::ports::{Inquirer, Said, ToolAnswer};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputResponses};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

/// A question on its way to a call, and the way back.
struct Question {
    request: ElicitRequestParams,
    answer: oneshot::Sender<ElicitResult>,
}

/// The calls that are open.
#[derive(Clone, Default)]
pub(super) struct OpenCalls(Arc<Mutex<Vec<mpsc::UnboundedSender<Question>>>>);

/// A call that is open until it is dropped.
pub(super) struct OpenCall<'a> {
    calls: OpenCalls,
    said: mpsc::UnboundedSender<Question>,
    questions: mpsc::UnboundedReceiver<Question>,
    inquirer: &'a dyn Inquirer,
    unanswered: Option<ToolAnswer>,
}

impl OpenCalls {
    /// Opens a call.
    pub(super) fn open<'a>(&self, inquirer: &'a dyn Inquirer) -> OpenCall<'a> {
        let (said, questions) = mpsc::unbounded_channel();
        self.held().push(said.clone());
        OpenCall { calls: self.clone(), said, questions, inquirer, unanswered: None }
    }

    /// Passes a question on to the only call that is open.
    pub(super) async fn ask(&self, request: ElicitRequestParams) -> ElicitResult {
        let only = match self.held().as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        let (answer, heard) = oneshot::channel();
        if only.is_some_and(|call| call.send(Question { request, answer }).is_ok()) {
            return heard.await.unwrap_or_else(|_| cancelled());
        }
        cancelled()
    }

    fn held(&self) -> MutexGuard<'_, Vec<mpsc::UnboundedSender<Question>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.calls.held().retain(|call| !call.same_channel(&self.said));
    }
}

impl OpenCall<'_> {
    /// Waits for the server's answer, and has a person answer what it asks meanwhile. Nothing where its time is over; a person's does
    /// not count.
    pub(super) async fn attend<T>(
        &mut self,
        answered: impl Future<Output = T>,
        patience: Duration,
    ) -> Option<T> {
        let mut answered = pin!(answered);
        let mut deadline = Instant::now() + patience;
        loop {
            tokio::select! {
                biased;
                done = &mut answered => return Some(done),
                Some(question) = self.questions.recv() => {
                    let begun = Instant::now();
                    let result = self.put(question.request).await;
                    question.answer.send(result).ok();
                    deadline += begun.elapsed();
                }
                () = sleep_until(deadline) => return None,
            }
        }
    }

    /// The answers to what a result asks for; nothing where it asks for something else than a person's word.
    pub(super) async fn fill_in(&mut self, asked: BTreeMap<String, InputRequest>) -> Option<InputResponses> {
        let mut responses = InputResponses::new();
        for (key, request) in asked {
            let InputRequest::Elicitation(request) = request else { return None };
            responses.insert(key, json!(self.put(request.params).await));
        }
        (!responses.is_empty()).then_some(responses)
    }

    /// What nobody has answered.
    pub(super) fn unanswered(&self) -> Option<ToolAnswer> {
        self.unanswered.clone()
    }

    async fn put(&mut self, request: ElicitRequestParams) -> ElicitResult {
        let (message, schema) = question(request);
        let said = match &schema {
            Some(schema) => self.inquirer.ask(&message, schema).await,
            None => Said::Nothing,
        };
        match said {
            Said::Accepted(values) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(values))
            }
            Said::Declined => ElicitResult::new(ElicitationAction::Decline),
            Said::Dismissed => cancelled(),
            Said::Nothing => {
                self.unanswered =
                    Some(ToolAnswer::InputRequired { message, schema: schema.unwrap_or_default() });
                cancelled()
            }
        }
    }
}

fn cancelled() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Cancel)
}

/// The question, and the schema of its answer where it has one: what is to be done elsewhere cannot be answered here.
fn question(request: ElicitRequestParams) -> (String, Option<Value>) {
    match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            (message, serde_json::to_value(requested_schema).ok())
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            (format!("{message} ({url})"), None)
        }
        _ => ("it asks in a way that is not known here".to_owned(), None),
    }
}
