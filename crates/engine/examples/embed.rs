//! A program that has the engine in it: `embed PROJECT HOME TOOL JSON` calls one tool and prints the envelope.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program has a clock, and prints")]
use guild_engine::catalog::Machine;
use guild_engine::ledger::via;
use guild_engine::ports::Answer;
use guild_engine::{Consent, Given, Opening, Premises, Principal, ToolRequest, tools_call};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [_, project, home, tool, input] = &std::env::args().collect::<Vec<_>>()[..] else {
        return Err("usage: embed PROJECT HOME TOOL JSON".into());
    };
    let machine = Machine { directory: project.into(), home: Some(home.into()), ..Machine::default() };
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let premises = Premises::open(Opening::of(&machine, std::time::SystemTime::now))
            .await
            .map_err(|refusal| refusal.message)?;
        let given = Given { values: serde_json::from_str(input)?, ..Given::default() };
        let person = Principal::person(via::FLAG);
        let request = ToolRequest {
            consent: Some(Consent { answer: Answer::Once, via: via::FLAG }),
            ..ToolRequest::new(tool, &given, &person)
        };
        println!(
            "{}",
            serde_json::to_string(&tools_call(&premises.workshop(&premises.hall()), request).await)?
        );
        Ok(())
    })
}
