//! The tools of a child agent while it runs: what its contract allows and its skill is scoped to, and nothing else.
//!
//! A call of a provider's tool is a run of its own, with its own approval and receipts. What only looks at the workspace needs no
//! approval, since the child agent's own said that it may, and leaves a receipt. It starts no skill: a child has no children.

mod desk;
mod names;
mod scope;
mod search;

use std::path::{Path, PathBuf};

use guild_ledger::receipt::{self, Entry, Kind, Parameter, SkillRef};
use guild_ledger::{Principal, RunId};
use guild_manifest::skill::{Contract, Dispatch, Kind as SkillKind, Workspace};
use guild_manifest::{Digest, canonical};
use serde_json::{Map, Value};

use super::prepare::{Draft, planned};
use super::workspace::workspace as workspace_of;
use super::{Given, Invocation, carry_through};
use crate::ports::{OfferedTool, Pending, ToolWord, Toolbox};
use crate::security_hash;
use crate::tools::providers;
use crate::transcript::Transcript;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, Status, reply};

pub(super) use scope::tools_in_scope;

/// How a child agent's call comes, as receipts name it.
const VIA: &str = "subagent";
/// What a model may say to a tool at once.
const LONGEST_INPUT: usize = 256 << 10;
/// What a model is told at once.
const LONGEST_WORD: usize = 96 << 10;
/// A longer value is kept as a digest.
const LONGEST_VALUE: usize = 4096;

/// The run that a child agent belongs to.
pub(crate) struct Parent {
    /// Its id.
    pub run: RunId,
    /// The skill's qualified name.
    pub skill: String,
    /// The state of it that was approved, with its runner and the tools in its scope.
    pub hash: Digest,
    /// For which agent.
    pub agent: String,
    /// Where the skill was found.
    pub source: String,
    /// What of the host its looking tools see.
    pub workspace: Option<PathBuf>,
}

/// The tools of one child agent.
pub(crate) struct ChildTools<'a> {
    workshop: &'a Workshop<'a>,
    parent: Parent,
    offered: Vec<OfferedTool>,
    discreet: &'a Transcript,
}

impl<'a> ChildTools<'a> {
    /// The tools of these names. Those that nobody can say anything of now are left out, and noted.
    pub(crate) async fn open(
        workshop: &'a Workshop<'a>,
        parent: Parent,
        names: &[String],
        discreet: &'a Transcript,
    ) -> Self {
        let mut offered = Vec::new();
        for name in names {
            match described(workshop, &parent, name).await {
                Ok(Some(tool)) => offered.push(tool),
                Ok(None) => {}
                Err(refusal) => {
                    let said = format!("the tool `{name}` cannot be had now: {}", refusal.message);
                    discreet.note("note", &Value::String(said));
                }
            }
        }
        names::name_apart(&mut offered);
        Self { workshop, parent, offered, discreet }
    }

    async fn called(&self, tool: &str, input: Map<String, Value>) -> (ToolWord, Option<String>) {
        let refused = if !self.offered.iter().any(|offered| offered.name == tool) {
            Some((Code::SkillCapabilityDenied, format!("the skill may not use a tool `{tool}`")))
        } else if canonical::text_of(&Value::Object(input.clone())).len() > LONGEST_INPUT {
            Some((Code::ToolInputInvalid, format!("more than {LONGEST_INPUT} bytes for one call")))
        } else {
            None
        };
        if let Some((code, message)) = refused {
            let receipt = self.write(Kind::Denied, code, &format!("{tool}: {message}"), &Map::new()).await;
            return (failed(code, &message), receipt);
        }
        match desk::find(tool) {
            Some(looking) => self.look(looking, input).await,
            None => self.dispatch(tool, input).await,
        }
    }

    /// Looks at the workspace.
    async fn look(&self, tool: &desk::DeskTool, input: Map<String, Value>) -> (ToolWord, Option<String>) {
        let nowhere = || Refusal::new(Code::SkillCapabilityDenied, "there is no workspace to look at");
        let looked = match &self.parent.workspace {
            Some(workspace) => desk::look(tool, workspace, &input),
            None => Err(nowhere()),
        };
        let (code, word) = match looked {
            Ok(text) => (Code::Ok, ToolWord { text, code: Code::Ok }),
            Err(refusal) => (refusal.code, failed(refusal.code, &refusal.message)),
        };
        let receipt = self.write(Kind::Load, code, tool.name, &input).await;
        match receipt {
            Some(_) => (word, receipt),
            // What cannot be written down is not handed out.
            None => (failed(Code::ReceiptNotWritten, "what was looked at could not be written down"), None),
        }
    }

    /// Calls a provider's tool, as a run of its own.
    async fn dispatch(&self, tool: &str, input: Map<String, Value>) -> (ToolWord, Option<String>) {
        let principal = self.principal();
        let given = Given::default();
        let mut unseen = |_: &guild_sandbox::Chunk| {};
        let invocation = Invocation {
            owner: &self.parent.agent,
            ..Invocation::new(&self.parent.skill, &principal, &given, &mut unseen)
        };
        let envelope = match self.draft(tool, input, &invocation) {
            Ok(draft) => {
                let prepared = planned(self.workshop, &invocation, draft).await;
                carry_through(self.workshop, invocation, prepared).await
            }
            Err(refusal) => {
                Envelope::error(refusal.code, refusal.message, reply::Run::nothing(&self.parent.skill))
            }
        };
        (word_of(&envelope), envelope.data.receipt)
    }

    /// The skill as it was approved, dispatching to this tool.
    fn draft(
        &self,
        tool: &str,
        input: Map<String, Value>,
        invocation: &Invocation<'_>,
    ) -> Result<Draft<'a>, Refusal> {
        let Workshop { hall, images, store, .. } = self.workshop;
        let staged = security_hash::load(hall, images, store, &self.parent.hash)?;
        // A name of its own: what is approved here is no other state of the skill itself.
        let name = format!("subagent:{}/{tool}", self.parent.skill);
        let mut draft = Draft::of(name, staged, invocation);
        draft.source.clone_from(&self.parent.source);
        draft.skill.kind = SkillKind::Tool;
        draft.contract.dispatch = dispatch_of(tool);
        draft.contract.params = None;
        draft.parameters = input;
        Ok(draft)
    }

    fn principal(&self) -> Principal {
        Principal::agent(&self.parent.agent, VIA)
    }

    /// Writes down what was called; the receipt's id, unless it could not be written.
    async fn write(&self, kind: Kind, code: Code, note: &str, input: &Map<String, Value>) -> Option<String> {
        let kept = |value: &Value| {
            let text = canonical::text_of(value);
            if text.len() <= LONGEST_VALUE {
                return Parameter::Value(
                    serde_json::from_str(&self.discreet.discreet(&text)).unwrap_or_default(),
                );
            }
            Parameter::Digest { digest: Digest::of(text.as_bytes()), bytes: text.len() as u64 }
        };
        let parameters = input.iter().map(|(name, value)| (name.clone(), kept(value))).collect();
        let entry = Entry {
            skill: Some(SkillRef { name: self.parent.skill.clone(), security_hash: Some(self.parent.hash) }),
            run: Some(self.parent.run),
            plan: Some(receipt::Plan { parameters, ..receipt::Plan::default() }),
            note: Some(note.chars().take(1000).collect()),
            ..Entry::new(kind, code.as_str(), self.principal())
        };
        let written = self.workshop.books.ledger.append(self.workshop.now(), entry).await;
        written.ok().map(|signed| signed.receipt.id.to_string())
    }
}

impl Toolbox for ChildTools<'_> {
    fn offered(&self) -> &[OfferedTool] {
        &self.offered
    }

    fn call<'c>(&'c self, tool: &'c str, input: Map<String, Value>) -> Pending<'c, ToolWord> {
        Box::pin(async move {
            self.discreet.note("call", &serde_json::json!({"tool": tool, "input": input}));
            let (mut word, receipt) = self.called(tool, input).await;
            word.text = shortened(self.discreet.discreet(&word.text));
            let (code, text) = (word.code.as_str(), &word.text);
            let result = serde_json::json!({"tool": tool, "code": code, "receipt": receipt, "text": text});
            self.discreet.note("result", &result);
            word
        })
    }
}

/// The tools of a run that has begun and not ended, for a program that talks to us by a protocol of its own.
///
/// # Errors
/// Where there is no such run, or it is none of a child agent.
pub async fn child_tools<'a>(
    workshop: &'a Workshop<'a>,
    run: &str,
    discreet: &'a Transcript,
) -> Result<Box<dyn Toolbox + 'a>, Refusal> {
    secrets(workshop).await.iter().for_each(|secret| discreet.hide(secret));
    let unknown = || Refusal::new(Code::RunNotFound, format!("no run `{run}` of a child agent is under way"));
    let id: RunId = run.parse().map_err(|_| unknown())?;
    let open = workshop.books.ledger.unfinished().await.map_err(|error| workshop.books.refusal(error))?;
    let started = open.into_iter().find(|signed| signed.receipt.entry.run == Some(id)).ok_or_else(unknown)?;
    let Entry { principal, skill, plan, .. } = started.receipt.entry;
    let (Some(skill), Some(plan)) = (skill, plan) else { return Err(unknown()) };
    let hash = skill.security_hash.ok_or_else(unknown)?;
    let staged = security_hash::load(workshop.hall, workshop.images, workshop.store, &hash)?;
    let names = staged.payload.runner.map(|runner| runner.tools).ok_or_else(unknown)?;
    let parent = Parent {
        run: id,
        skill: skill.name,
        hash,
        agent: principal.agent,
        source: format!("run · {run}"),
        workspace: plan.workspace.map(PathBuf::from),
    };
    Ok(Box::new(ChildTools::open(workshop, parent, &names, discreet).await))
}

/// The directory that a child agent's looking tools see; none where the contract has none, or it would show too much.
pub(super) fn workspace_for(workshop: &Workshop<'_>, contract: &Contract) -> Option<PathBuf> {
    if contract.workspace == Workspace::None {
        return None;
    }
    workspace_of(&workshop.hall.machine, workshop.places).ok()
}

/// Whether a tool looks at the workspace.
pub(super) fn is_looking(tool: &str) -> bool {
    desk::find(tool).is_some()
}

/// Values that no model, transcript or receipt ever shows: kept secrets, and variables whose names say that they are some.
pub(crate) async fn secrets(workshop: &Workshop<'_>) -> Vec<String> {
    let machine = &workshop.hall.machine;
    let secret = machine.env.iter().filter(|(name, _)| is_secret_name(name));
    let mut values: Vec<String> = secret.map(|(_, value)| value.clone()).collect();
    for name in &machine.credentials {
        values.extend(workshop.books.ledger.secret(name).await.ok().flatten());
    }
    values
}

/// Whether a variable's name says that it is a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    const WORDS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];
    WORDS.iter().any(|word| name.to_ascii_uppercase().contains(word))
}

async fn described(
    workshop: &Workshop<'_>,
    parent: &Parent,
    name: &str,
) -> Result<Option<OfferedTool>, Refusal> {
    if let Some(tool) = desk::find(name) {
        let offered = parent.workspace.as_deref().map(|_: &Path| tool.offered());
        return Ok(offered);
    }
    let Some(Dispatch { provider, tool }) = dispatch_of(name) else { return Ok(None) };
    let Some(provider) = providers(workshop).find(|known| known.id() == provider) else {
        return Err(Refusal::new(Code::ProviderUnbound, format!("there is no provider `{provider}`")));
    };
    let found = provider.find(workshop, &tool).await.map_err(|error| error.refusal())?;
    Ok(found.map(|found| OfferedTool {
        name: name.to_owned(),
        short: String::new(),
        description: found.description,
        input: found.input,
        is_read_only: found.is_read_only,
    }))
}

fn dispatch_of(tool: &str) -> Option<Dispatch> {
    let (provider, tool) = tool.split_once(':')?;
    Some(Dispatch { provider: provider.to_owned(), tool: tool.to_owned() })
}

fn word_of(envelope: &Envelope<reply::Run>) -> ToolWord {
    if envelope.status == Status::Error {
        return failed(envelope.code, &envelope.message);
    }
    let text = match &envelope.data.output {
        _ if !envelope.message.is_empty() => envelope.message.clone(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    ToolWord { text, code: envelope.code }
}

fn failed(code: Code, message: &str) -> ToolWord {
    ToolWord { text: format!("{}: {message}", code.as_str()), code }
}

/// What a model is told at once, cut between characters.
fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_WORD {
        let end = (0..=LONGEST_WORD).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n… (there is more)");
    }
    text
}
