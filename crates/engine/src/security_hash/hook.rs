//! From a plugin that was found to a hook of it that can be approved and run: the whole plugin staged, its manifest read again from
//! the copy, and hashed like a skill of it.

use super::payload::{ImageIdentity, Payload, Surroundings};
use super::plugin::{StagedPlugin, changed, stage_plugin};
use super::stage::Staged;
use crate::events::declared;
use crate::image::Images;
use crate::run::Moment;
use crate::vet::policy;
use crate::{Hall, Refusal};
use guild_catalog::PluginEntry;
use guild_manifest::plugin::{Plugin, ToolRun};
use guild_manifest::skill::{Contract, Hints, Kind, Param, Params, Skill, Workspace};
use guild_source::store::Store;

/// Stages a plugin for one of its hooks; the hook is the one that the staged manifest declares.
///
/// # Errors
/// Where the files are refused or cannot be read, or no longer are the plugin that was found.
pub(crate) fn stage_hook(
    hall: &Hall,
    entry: &PluginEntry,
    moment: Moment<'_>,
    (images, store): (&Images, &Store),
) -> Result<(Staged, ToolRun), Refusal> {
    let StagedPlugin { tree, root, plugin, identity: whose, .. } = stage_plugin(entry, store)?;
    let name = &entry.plugin.name;
    let run = match moment {
        Moment::Life(moment) => plugin.lifecycle(moment),
        // The copy decides; what was found before is only where to look in it.
        Moment::Event(hook) => {
            let same = declared(&plugin, Some(&root)).into_iter().find(|found| found.id == hook.id);
            Ok(same.map(|found| found.run))
        }
    };
    let run = run.map_err(|why| changed(name, &format!("`{}` {why}", moment.as_str())))?;
    let run = run.ok_or_else(|| changed(name, &format!("it has no `{}`", moment.as_str())))?;
    let manifest = plugin.dialect.manifest().and_then(|path| tree.file(path));
    let own = manifest.ok_or_else(|| changed(name, "its manifest is gone"))?;
    let skill = skill(&plugin, moment, &run);
    let image = images.resolve(None)?;
    let role = images.settings().role.clone();
    let identity = ImageIdentity { role, digest: image.digest.to_string() };
    let around =
        Surroundings { plugin: whose, policy: policy(&hall.config).version(), image: Some(identity) };
    let payload = Payload::new(&skill, own, &tree, around);
    let security_hash = store.put(payload.text()?.as_bytes())?;
    let staged = Staged {
        root,
        directory: String::new(),
        body: String::new(),
        argument_names: Vec::new(),
        hints: Hints::default(),
        image: Some(image),
        tree,
        skill,
        payload,
        security_hash,
    };
    Ok((staged, run))
}

/// A hook as a skill that nobody lists: a script that sees no workspace and no network, and the environment that its plugin
/// declares.
fn skill(plugin: &Plugin, moment: Moment<'_>, run: &ToolRun) -> Skill {
    let script = match run {
        ToolRun::Entrypoint(file) => Some(file.clone()),
        ToolRun::Command(_) => None,
    };
    let secret =
        Param { name: "secrets".to_owned(), format: Some("password".to_owned()), ..Param::default() };
    let contract = Contract {
        script,
        workspace: Workspace::None,
        env: plugin.required_env.iter().chain(&plugin.optional_env).cloned().collect(),
        params: Some(Params { list: vec![secret], closed: false }),
        ..Contract::default()
    };
    Skill {
        name: moment.as_str().to_owned(),
        aliases: Vec::new(),
        title: None,
        description: String::new(),
        when_to_use: None,
        kind: Kind::Script,
        model_invocable: false,
        user_invocable: false,
        paths: Vec::new(),
        requirements: None,
        contract: Some(Box::new(contract)),
    }
}
