//! Skills that dispatch to one tool of a provider, typed on both sides.
//!
//! What the contract does not declare, or the agent may not use, is denied before the provider hears of it.

use guild_ledger::receipt;
use guild_manifest::skill::{Dispatch, Kind};
use serde_json::{Map, Value, json};

use super::Invocation;
use super::executor::{Call, Done, Executor};
use super::params::ParamError;
use super::prepare::{Draft, Prepared};
use super::stop::Stop;
use crate::builtin_tools;
use crate::inquiry::Asking;
use crate::ports::{Contained, Pending, Tool as Described, ToolAnswer, ToolCall, ToolProvider, ToolResult};
use crate::schema::Validator;
use crate::security_hash::ToolIdentity;
use crate::tools::{near_tool, providers};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// The tool that every agent has.
const READING_TOOL: &str = "builtin:read_skill_file";

/// Dispatches.
pub struct Tool;

impl Executor for Tool {
    fn kind(&self) -> Kind {
        Kind::Tool
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        draft: &'a Draft<'_>,
    ) -> Pending<'a, Result<Call, Box<Stop>>> {
        Box::pin(async move {
            let (dispatch, tool) = find(workshop, draft).await.map_err(|refusal| draft.stop(refusal))?;
            let errors = errors_of(&tool.input, &Value::Object(input(&draft.arguments, &draft.parameters)));
            if !errors.is_empty() {
                let message = format!("invalid input for tool `{}`: {}", tool.name, sentence(&errors));
                let mut stop = draft.stop(Refusal::new(Code::ToolInputInvalid, message));
                stop.reply.errors = errors;
                return Err(stop);
            }
            let described = others(&dispatch, &tool);
            Ok(Call {
                // What others offer is never called unasked, even where it only looks.
                needs_grant: !tool.is_read_only || described.is_some(),
                asks_every_time: !tool.is_read_only,
                tool: Some(qualified(&dispatch)),
                described,
                ..Call::default()
            })
        })
    }

    fn bind<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        draft: &'a mut Draft<'_>,
    ) -> Pending<'a, Result<(), Refusal>> {
        Box::pin(async move {
            let (dispatch, tool) = find(workshop, draft).await?;
            match others(&dispatch, &tool) {
                Some(described) => draft.staged.pin(described, workshop.store),
                None => Ok(()),
            }
        })
    }

    fn execute<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Done> {
        Box::pin(async move {
            let started = workshop.now();
            let arguments = invocation.arguments;
            let asking = Asking {
                workshop,
                principal: invocation.principal,
                skill: &prepared.name,
                tool: prepared.contract.dispatch.as_ref().map(qualified).unwrap_or_default(),
                workspace: &prepared.plan.ask.workspace,
                on_stage: invocation.on_stage,
                patience: invocation.wait.or(workshop.patience),
            };
            let called = call(workshop, prepared, &asking, arguments).await;
            let mut reply = prepared.reply();
            let outcome = Some(receipt::Outcome::at(started, workshop.now()));
            match called {
                Ok(result) => {
                    reply.exit_code = 0;
                    if let Some(Contained { backend, wall }) = &result.contained {
                        reply.wall_time_ms = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX);
                        reply.backend = Some(backend.clone());
                        reply.owned_container = true;
                    }
                    reply.output = Some(result.structured.clone().unwrap_or_else(|| result.text().into()));
                    Done { message: result.text(), outcome, ..Done::ok(reply) }
                }
                Err((refusal, errors)) => {
                    reply.errors = errors;
                    Done { outcome, ..Done::failed(reply, refusal) }
                }
            }
        })
    }
}

/// The tool that a skill dispatches to, if it and its agent may use it and somebody offers it.
async fn find(workshop: &Workshop<'_>, draft: &Draft<'_>) -> Result<(Dispatch, Described), Refusal> {
    let skill = &draft.name;
    let Some(dispatch) = draft.contract.dispatch.clone() else {
        let message = format!("skill `{skill}` names no tool");
        return Err(Refusal::new(Code::ProviderToolUnregistered, message));
    };
    let Dispatch { provider: id, tool } = &dispatch;
    let qualified = qualified(&dispatch);
    check_declared(skill, &draft.contract.tools, &dispatch)?;
    if !may_use(workshop, &draft.agent, &qualified) {
        let message = format!("agent `{}` may not use the tool `{qualified}`", draft.agent);
        return Err(Refusal::new(Code::ProviderPolicyDenied, message));
    }
    let Some(provider) = provider(workshop, id) else {
        let message = format!("tool provider `{id}` is not registered for skill `{skill}`");
        return Err(Refusal::new(Code::ProviderUnbound, message));
    };
    let Some(found) = provider.find(workshop, tool).await.map_err(|error| error.refusal())? else {
        let hint = near_tool(workshop, provider, tool).await;
        let message = format!("tool `{tool}` is not registered for provider `{id}` (skill `{skill}`){hint}");
        return Err(Refusal::new(Code::ProviderToolUnregistered, message));
    };
    Ok((dispatch, found))
}

/// Denies a tool that the contract does not declare; discovery keeps such skills out, and a contract is not trusted twice.
fn check_declared(skill: &str, declared: &[String], dispatch: &Dispatch) -> Result<(), Refusal> {
    let qualified = qualified(dispatch);
    if declared.iter().any(|declared| *declared == qualified || *declared == dispatch.tool) {
        return Ok(());
    }
    let message = format!("skill `{skill}` attempted the undeclared tool `{qualified}`");
    Err(Refusal::new(Code::SkillCapabilityDenied, message))
}

/// Whether an agent's own list of tools lets it use one; an agent without a list has what its skills declare.
pub(super) fn may_use(workshop: &Workshop<'_>, agent: &str, tool: &str) -> bool {
    match workshop.hall.config.tools(agent) {
        // Whoever has skills can read them.
        Some(_) if tool == READING_TOOL => true,
        Some(tools) => tools.iter().any(|allowed| allowed == tool || allowed == "*"),
        None => true,
    }
}

fn provider<'a>(workshop: &Workshop<'a>, id: &str) -> Option<&'a dyn ToolProvider> {
    providers(workshop).find(|provider| provider.id() == id)
}

fn qualified(dispatch: &Dispatch) -> String {
    format!("{}:{}", dispatch.provider, dispatch.tool)
}

/// The tool as whoever offers it describes it, where that is not us.
fn others(dispatch: &Dispatch, tool: &Described) -> Option<ToolIdentity> {
    (dispatch.provider != builtin_tools::PROVIDER).then(|| identity(dispatch, tool))
}

/// What a person's word is about.
fn identity(dispatch: &Dispatch, tool: &Described) -> ToolIdentity {
    ToolIdentity {
        name: qualified(dispatch),
        description: tool.description.clone(),
        input: tool.input.clone(),
        output: tool.output.clone(),
        code: tool.code.clone(),
        image: tool.image.clone(),
        environment: tool.environment.clone(),
    }
}

type Failure = (Refusal, Vec<ParamError>);

async fn call(
    workshop: &Workshop<'_>,
    prepared: &Prepared<'_>,
    asking: &Asking<'_>,
    arguments: &[String],
) -> Result<ToolResult, Failure> {
    let nothing_more = |refusal| (refusal, Vec::new());
    let Some(dispatch @ Dispatch { provider: id, tool }) = &prepared.contract.dispatch else {
        return Err(nothing_more(Refusal::new(Code::ProviderToolUnregistered, "the skill names no tool")));
    };
    let Some(provider) = provider(workshop, id) else {
        return Err(nothing_more(Refusal::new(
            Code::ProviderUnbound,
            format!("there is no provider `{id}`"),
        )));
    };
    let schema = declared_output(workshop, prepared, provider, dispatch).await.map_err(nothing_more)?;
    let input = input(arguments, &prepared.parameters);
    let call = ToolCall {
        tool,
        input: &input,
        agent: &asking.principal.agent,
        skill: &prepared.name,
        security_hash: prepared.staged.security_hash.to_string(),
        code: prepared.call.described.as_ref().and_then(|tool| tool.code.as_deref()),
        progress: &|_, _, _| {},
        inquirer: asking,
    };
    let answer = provider.call(workshop, call).await.map_err(|error| nothing_more(error.refusal()))?;
    let result = match answer {
        ToolAnswer::Done(result) => result,
        ToolAnswer::InputRequired { message, .. } => {
            return Err(nothing_more(Refusal::new(Code::ToolInputRequired, message)));
        }
    };
    let given = result.structured.clone().unwrap_or(Value::Null);
    let errors = schema.map(|schema| errors_of(&schema, &given)).unwrap_or_default();
    if errors.is_empty() {
        return Ok(result);
    }
    let message = format!("tool `{tool}` gave what it does not declare: {}", sentence(&errors));
    Err((Refusal::new(Code::ToolOutputInvalid, message), errors))
}

/// The schema of what the tool gives, if the tool still is what was approved.
async fn declared_output(
    workshop: &Workshop<'_>,
    prepared: &Prepared<'_>,
    provider: &dyn ToolProvider,
    dispatch: &Dispatch,
) -> Result<Option<Value>, Refusal> {
    let approved = prepared.call.described.as_ref();
    if let Some(fixed) = approved.filter(|tool| tool.code.is_some() && provider.is_fixed_by_code()) {
        return Ok(fixed.output.clone());
    }
    let found = provider.find(workshop, &dispatch.tool).await.map_err(|error| error.refusal())?;
    if approved.is_some() && found.as_ref().map(|tool| identity(dispatch, tool)).as_ref() != approved {
        let message =
            format!("the tool `{}` is described otherwise than when it was approved", qualified(dispatch));
        return Err(Refusal::new(Code::SecurityHashMismatch, message));
    }
    Ok(found.and_then(|tool| tool.output))
}

/// Parameters by name, and words as one text.
fn input(arguments: &[String], parameters: &Map<String, Value>) -> Map<String, Value> {
    let mut input = parameters.clone();
    if !arguments.is_empty() && !input.contains_key("text") {
        input.insert("text".to_owned(), json!(arguments.join(" ")));
    }
    input
}

fn errors_of(schema: &Value, value: &Value) -> Vec<ParamError> {
    match Validator::new(schema) {
        Ok(validator) => {
            let errors = validator.errors(value).into_iter();
            errors.map(|(path, message)| ParamError { path, message }).collect()
        }
        Err(reason) => {
            vec![ParamError { path: String::new(), message: format!("the schema is none: {reason}") }]
        }
    }
}

fn sentence(errors: &[ParamError]) -> String {
    errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undeclared_tool_is_skill_capability_denied() {
        let dispatch = Dispatch { provider: "builtin".to_owned(), tool: "add".to_owned() };
        let told = |declared: &[&str]| {
            let declared: Vec<String> = declared.iter().map(|tool| (*tool).to_owned()).collect();
            check_declared("sum", &declared, &dispatch)
                .map_err(|refusal| (refusal.code.as_str(), refusal.message))
        };
        assert_eq!(told(&["builtin:add"]), Ok(()));
        assert_eq!(told(&["add"]), Ok(()));
        let message = "skill `sum` attempted the undeclared tool `builtin:add`".to_owned();
        assert_eq!(told(&[]), Err(("skill_capability_denied", message.clone())));
        assert_eq!(told(&["mcp:add", "builtin:addition"]), Err(("skill_capability_denied", message)));
    }
}
