//! `guild plugins show`

use crate::print::{Ink, Style, escape, print_facts};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::plugin_show;
use guild_engine::reply::{PluginDetail, PluginShow};
use std::io::{self, Write};
use std::process::ExitCode;

/// Show everything that a plugin brings
///
/// Nothing of it is run: functions of a module and tools of servers are listed by `guild tools list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The plugin
    #[arg(value_name = "NAME")]
    name: String,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let envelope = plugin_show(&hall, &args.name);
    ui.finish(&envelope, |data: &PluginShow<'_>, style, out| match &data.plugin {
        Some(plugin) => print(plugin, style, out),
        None => Ok(()),
    })
}

fn print(plugin: &PluginDetail<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let summary = &plugin.summary;
    writeln!(out, "{}", style.ink(Ink::Bold, &escape::line(summary.name)))?;
    writeln!(out, "{}\n", escape::line(summary.description))?;
    let rest = if summary.waits {
        format!("; `guild enable {}` adds the rest", summary.name)
    } else {
        summary.off.filter(|_| summary.failed).map(|off| format!("; {off}")).unwrap_or_default()
    };
    let agents: Vec<String> = plugin.agents.iter().map(|agent| agent.qualified_name.clone()).collect();
    let all = |names: &[&str]| names.join(", ");
    let facts = [
        ("version", summary.version.unwrap_or_default().to_owned()),
        ("author", summary.author.unwrap_or_default().to_owned()),
        ("source", summary.scope.to_owned()),
        ("path", summary.path.clone()),
        ("manifest", summary.dialect.to_owned()),
        ("state", format!("{}{rest}", summary.state())),
        ("skills", plugin.skills.join(", ")),
        ("tools", plugin.tools.join(", ")),
        ("module", plugin.tools_module.unwrap_or_default().to_owned()),
        ("servers", all(&plugin.servers)),
        ("agents", agents.join(", ")),
        ("commands", plugin.commands.join(", ")),
        ("hooks", plugin.hooks.join(", ")),
        ("sections", all(&plugin.prompt_sections)),
        ("components", all(&plugin.components)),
        ("queries", all(&plugin.query_types)),
        ("actions", all(&plugin.action_handlers)),
        ("needs", plugin.required_env.join(", ")),
        ("uses", plugin.optional_env.join(", ")),
        ("missing", all(&plugin.missing_env)),
        ("depends on", all(&plugin.dependencies)),
    ];
    print_facts(&facts, style, out)
}
