//! `tools list` and `tools show`: what everybody who offers tools here offers now, asked at that moment.
//!
//! A provider that cannot say is told with its reason, and hides nobody else's tools.

use guild_catalog::PluginEntry;
use guild_manifest::fold::nearest;

use crate::builtin_tools::{self, BuiltinTools};
use crate::plugin_tools::PluginTools;
use crate::ports::{Listed, Tool, ToolProvider, Unlisted};
use crate::registry::waits;
use crate::reply::{SilentProvider, ToolLine, Tools};
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal};

/// Every tool, or those of one provider.
pub async fn tools_list(workshop: &Workshop<'_>, provider: Option<&str>) -> Envelope<Tools> {
    let chosen: Vec<&dyn ToolProvider> =
        providers(workshop).filter(|known| provider.is_none_or(|wanted| known.id() == wanted)).collect();
    if chosen.is_empty() {
        let known: Vec<&str> = providers(workshop).map(ToolProvider::id).collect();
        let message = format!(
            "there is no provider `{}`; there are: {}",
            provider.unwrap_or_default(),
            known.join(", ")
        );
        return Envelope::error(Code::ProviderUnbound, message, Tools::default());
    }
    let mut all = Tools::default();
    for chosen in chosen {
        let Listed { tools, silent } = chosen.list(workshop).await;
        all.tools.extend(tools.into_iter().map(|tool| line(chosen.id(), tool)));
        all.silent.extend(silent.into_iter().map(|silent| told(chosen.id(), &silent)));
    }
    all.count = all.tools.len();
    all.waiting = waiting(workshop, provider);
    Envelope::ok(all)
}

/// One tool, by `provider:tool`.
pub async fn tools_show(workshop: &Workshop<'_>, name: &str) -> Envelope<Option<ToolLine>> {
    match shown(workshop, name).await {
        Ok(line) => Envelope::ok(Some(line)),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, None),
    }
}

async fn shown(workshop: &Workshop<'_>, name: &str) -> Result<ToolLine, Refusal> {
    let (id, tool) = name.split_once(':').ok_or_else(|| {
        Refusal::new(Code::ProviderToolUnregistered, format!("`{name}` is no tool: one is `provider:tool`"))
    })?;
    let Some(provider) = providers(workshop).find(|provider| provider.id() == id) else {
        return Err(Refusal::new(Code::ProviderUnbound, format!("there is no provider `{id}`")));
    };
    let found = provider.find(workshop, tool).await.map_err(|error| error.refusal())?;
    if let Some(found) = found {
        return Ok(line(id, Tool { name: tool.to_owned(), ..found }));
    }
    let hint = near_tool(workshop, provider, tool).await;
    Err(Refusal::new(Code::ProviderToolUnregistered, format!("`{id}` has no tool `{tool}`{hint}")))
}

/// Which of a provider's tools may have been meant by a name that none of them bears, to be said behind that.
pub(crate) async fn near_tool(workshop: &Workshop<'_>, provider: &dyn ToolProvider, name: &str) -> String {
    let listed = provider.list(workshop).await;
    let near = nearest(name, listed.tools.iter().map(|tool| tool.name.as_str()));
    near.map(|near| format!("; did you mean `{}:{near}`?", provider.id())).unwrap_or_default()
}

/// Everybody who offers tools, our own first.
pub(crate) fn providers<'a>(workshop: &Workshop<'a>) -> impl Iterator<Item = &'a dyn ToolProvider> {
    let own: [&dyn ToolProvider; 2] = [&BuiltinTools, &PluginTools];
    own.into_iter().chain(workshop.providers.iter().map(AsRef::as_ref))
}

/// The plugins whose tools are not there because nobody has switched them on; our own always are.
fn waiting(workshop: &Workshop<'_>, provider: Option<&str>) -> Vec<String> {
    let has_tools = |entry: &&PluginEntry| {
        let plugin = &entry.plugin;
        !plugin.tools.is_empty() || plugin.tools_module.is_some() || !plugin.mcp_servers.is_empty()
    };
    let all = workshop.hall.snapshot.plugins.iter().filter(|_| provider != Some(builtin_tools::PROVIDER));
    let waiting = all.filter(has_tools).filter(|entry| waits(workshop.hall, entry));
    waiting.map(|entry| entry.plugin.name.clone()).collect()
}

fn line(provider: &str, tool: Tool) -> ToolLine {
    ToolLine {
        name: format!("{provider}:{}", tool.name),
        provider: provider.to_owned(),
        plugin: tool.plugin,
        description: tool.description,
        read_only: tool.is_read_only,
        input_schema: tool.input,
        output_schema: tool.output,
    }
}

fn told(provider: &str, silent: &Unlisted) -> SilentProvider {
    let Refusal { code, message } = silent.error.refusal();
    SilentProvider { provider: format!("{provider}:{}", silent.whose), code: code.as_str(), message }
}
