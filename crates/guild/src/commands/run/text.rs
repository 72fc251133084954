//! What a run prints for people, beyond the output that was passed on as it came.

use crate::print::{Ink, Style, escape};
use guild_engine::reply::{Run, RunPlan};
use guild_engine::{Envelope, Status, command_line};
use serde_json::Value;
use std::io::{self, IsTerminal as _, Write};

/// Prints the result where it was not printed already, and what is to be decided now.
pub fn write(data: &Run, is_dry: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if let Some(plan) = data.plan.as_ref().filter(|_| is_dry) {
        return self::plan(plan, style, out);
    }
    match &data.output {
        Some(output) if data.stdout.is_empty() => result(output, out),
        _ => Ok(()),
    }
}

/// Whether a tool has answered, whose words for people are the envelope's message.
pub fn is_answer(envelope: &Envelope<Run>) -> bool {
    envelope.status == Status::Ok && envelope.data.kind == Some("tool") && !envelope.message.is_empty()
}

/// The result: a text as it is, and everything else as JSON.
fn result(output: &Value, out: &mut dyn Write) -> io::Result<()> {
    let text = match output.as_str() {
        Some(words) => words.to_owned(),
        None => serde_json::to_string_pretty(output)?,
    };
    let text = if io::stdout().is_terminal() { escape::block(&text) } else { text };
    if text.is_empty() { Ok(()) } else { writeln!(out, "{}", text.trim_end_matches('\n')) }
}

/// What would be run.
fn plan(plan: &RunPlan, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut field = |name: &str, value: &str| {
        if value.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}  {}", style.ink(Ink::Dim, &format!("{name:<11}")), escape::exact(value))
    };
    field("skill", &plan.skill)?;
    field("agent", &plan.agent)?;
    field("source", &plan.source)?;
    field("hash", &plan.security_hash)?;
    field("command", &command_line(&plan.command))?;
    field("tool", plan.tool.as_deref().unwrap_or_default())?;
    for (name, value) in &plan.parameters {
        field("parameter", &format!("{name} = {value}"))?;
    }
    field("workspace", &workspace(plan))?;
    field("network", &plan.network)?;
    field("environment", &plan.environment.join(", "))?;
    field("tools", &plan.tools.join(", "))?;
    if let (Some(role), Some(image)) = (&plan.image_role, &plan.image) {
        field("image", &format!("{role} ({image})"))?;
        let limits = &plan.limits;
        field(
            "limits",
            &format!(
                "{} s, {} CPU, {} MB, {} processes",
                limits.timeout_seconds,
                limits.cpus,
                limits.memory_bytes >> 20,
                limits.processes
            ),
        )?;
    }
    field("container", plan.container.as_deref().unwrap_or_default())
}

fn workspace(plan: &RunPlan) -> String {
    match &plan.workspace {
        Some(path) => format!("{path} ({})", plan.workspace_access),
        None => "none".to_owned(),
    }
}
