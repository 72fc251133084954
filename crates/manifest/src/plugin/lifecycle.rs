//! What a plugin runs when it is switched on and off: `hooks.onEnable` and `hooks.onDisable` in its manifest.
//!
//! Hooks of other events have other owners, and files of hooks are not looked into.

use super::contribution::ToolRun;
use super::model::{HookSource, Plugin};
use super::path;
use crate::tree::Data;

/// When a hook of a plugin's own life runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Before the plugin is on.
    Enable,
    /// Before it is off.
    Disable,
}

impl Lifecycle {
    /// The key in manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enable => "onEnable",
            Self::Disable => "onDisable",
        }
    }
}

impl Plugin {
    /// What runs at this moment; nothing where the manifest does not say.
    ///
    /// # Errors
    /// Where the manifest says something that cannot be run, in words that follow the key.
    pub fn lifecycle(&self, moment: Lifecycle) -> Result<Option<ToolRun>, String> {
        let inline = self.hooks.iter().filter_map(|hook| match hook {
            HookSource::Inline(data) => data.get(moment.as_str()),
            HookSource::File(_) | HookSource::Module(_) => None,
        });
        let mut declared: Vec<&Data> = inline.collect();
        match (declared.pop(), declared.is_empty()) {
            (None, _) => Ok(None),
            (Some(data), true) => run(data).map(Some),
            (Some(_), false) => Err("is declared twice".to_owned()),
        }
    }
}

fn run(data: &Data) -> Result<ToolRun, String> {
    match data {
        Data::Text(file) => entrypoint(file),
        Data::List(words) => command(words),
        Data::Map(_) => match (data.get("entrypoint"), data.get("command")) {
            (Some(Data::Text(file)), None) => entrypoint(file),
            (None, Some(Data::List(words))) => command(words),
            _ => Err("names neither one `entrypoint` nor one `command`".to_owned()),
        },
        _ => Err("is neither a file nor a list of a program and its arguments".to_owned()),
    }
}

fn entrypoint(file: &str) -> Result<ToolRun, String> {
    let inside = path::contained(file).ok().filter(|inside| inside != ".");
    inside.map(ToolRun::Entrypoint).ok_or_else(|| format!("is `{file}`, which is no file inside the plugin"))
}

fn command(words: &[Data]) -> Result<ToolRun, String> {
    let text = |word: &Data| match word {
        Data::Text(word) => Some(word.clone()),
        _ => None,
    };
    let words: Option<Vec<String>> = words.iter().map(text).collect();
    let words = words.filter(|words| words.first().is_some_and(|program| !program.is_empty()));
    words.map(ToolRun::Command).ok_or_else(|| "is no list of a program and its arguments".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::Dialect;
    use crate::tree::json;

    #[track_caller]
    fn check(hooks: &str, expected: Result<Option<ToolRun>, &str>) {
        let data = json::parse(hooks, json::Grammar::Json, &mut Vec::new()).unwrap().to_data();
        let plugin = Plugin { hooks: vec![HookSource::Inline(data)], ..Plugin::new(Dialect::Guild, "p") };
        let told = plugin.lifecycle(Lifecycle::Enable);
        assert_eq!(told.as_ref().map_err(String::as_str), expected.as_ref().map_err(|error| *error));
    }

    #[test]
    fn a_file_or_a_command_is_run() {
        let file = || Ok(Some(ToolRun::Entrypoint("bin/on.sh".to_owned())));
        check(r#"{"onEnable": "./bin/on.sh"}"#, file());
        check(r#"{"onEnable": {"entrypoint": "bin/on.sh"}}"#, file());
        let command = ToolRun::Command(vec!["python3".to_owned(), "on.py".to_owned()]);
        check(r#"{"onEnable": ["python3", "on.py"]}"#, Ok(Some(command)));
        check(r#"{"onDisable": "off.sh", "SessionStart": []}"#, Ok(None));
    }

    #[test]
    fn what_cannot_be_run_is_told() {
        check(r#"{"onEnable": "../on.sh"}"#, Err("is `../on.sh`, which is no file inside the plugin"));
        check(r#"{"onEnable": 7}"#, Err("is neither a file nor a list of a program and its arguments"));
        check(r#"{"onEnable": []}"#, Err("is no list of a program and its arguments"));
        check(r#"{"onEnable": {}}"#, Err("names neither one `entrypoint` nor one `command`"));
    }
}
