//! Skills of instructions: the body with its arguments filled in. Nothing is run, so nobody is asked.

use guild_catalog::render::Arguments;
use guild_manifest::skill::Kind;

use super::Invocation;
use super::executor::{Call, Done, Executor};
use super::prepare::{Draft, Prepared};
use super::stop::Stop;
use crate::ports::Pending;
use crate::render::{Body, rendered_body};
use crate::workshop::Workshop;

/// Renders.
pub struct Inline;

impl Executor for Inline {
    fn kind(&self) -> Kind {
        Kind::Inline
    }

    fn call<'a>(&'a self, _: &'a Workshop<'_>, _: &'a Draft<'_>) -> Pending<'a, Result<Call, Box<Stop>>> {
        Box::pin(async { Ok(Call::default()) })
    }

    fn execute<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Done> {
        Box::pin(async move {
            let mut reply = prepared.reply();
            reply.exit_code = 0;
            reply.output = Some(rendered(workshop, invocation, prepared).into());
            Done::ok(reply)
        })
    }
}

/// The instructions as they were staged, with the caller's words and parameters.
pub fn rendered(workshop: &Workshop<'_>, invocation: &Invocation<'_>, prepared: &Prepared<'_>) -> String {
    let named = prepared.parameters.iter().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}={text}")
    });
    let words: Vec<String> = invocation.arguments.iter().cloned().chain(named).collect();
    let arguments = Arguments::from_words(&words);
    let body = Body { text: &prepared.staged.body, line: 1, argument_names: &prepared.staged.argument_names };
    match prepared.entry {
        Some(entry) => rendered_body(workshop.hall, entry, &body, &arguments).text,
        // Only scripts are repeated; what has lost its place cannot be rendered.
        None => prepared.staged.body.clone(),
    }
}
