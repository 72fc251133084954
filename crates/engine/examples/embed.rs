//! A program that has the engine in it: `embed PROJECT HOME TOOL JSON` calls one tool and prints the envelope.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program has a clock, and prints")]
use guild_engine::{Premises, ports::Answer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [_, project, home, tool, input] = &std::env::args().collect::<Vec<_>>()[..] else {
        return Err("usage: embed PROJECT HOME TOOL JSON".into());
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let guild = Premises::at(project, home, std::time::SystemTime::now).await?;
        let envelope = guild.call(tool, serde_json::from_str(input)?, Some(Answer::Once)).await;
        println!("{}", serde_json::to_string(&envelope)?);
        Ok(())
    })
}
