//! `[runners.<name>]` and `[subagents]` in the user's and the machine's files.
//!
//! An entry that cannot be understood is left out and told; the others hold.

use std::collections::BTreeMap;
use std::time::Duration;

use guild_manifest::config::{Config, Layer, Section};
use guild_manifest::{Code as ProblemCode, Pos, Problem};
use guild_source::spec::is_loopback;
use serde::Deserialize;

use crate::hall::{ConfigFile, path_of};
use crate::security_hash::RunnerIdentity;

/// What a model may use where nobody says.
#[derive(Debug, Clone, Copy)]
pub struct RunnerBudget {
    /// How often it may speak.
    pub steps: u32,
    /// How long one of its answers may be.
    pub answer_tokens: u32,
    /// How much it may read and write in one run.
    pub tokens: u64,
}

impl Default for RunnerBudget {
    fn default() -> Self {
        Self { steps: 30, answer_tokens: 8192, tokens: 1_000_000 }
    }
}

/// What a template fills in.
const PLACEHOLDERS: &[&str] = &["{prompt}", "{system}", "{task}", "{model}", "{mcp_config}"];

/// A runner that the person has configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerSettings {
    /// Its name.
    pub name: String,
    /// How it is talked to.
    pub way: RunnerWay,
    /// The model, unless a skill wants another.
    pub model: Option<String>,
    /// What the models that skills name are called here; a name that is not among them is taken as it is.
    pub models: BTreeMap<String, String>,
    /// The longest that it may take, where that is less than the skill's own limit.
    pub timeout: Option<Duration>,
}

/// How a runner is talked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerWay {
    /// A program of the person's.
    Command(CommandRunner),
    /// A model behind an address.
    Http(HttpRunner),
}

/// A program that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRunner {
    /// A program whose options are known.
    pub preset: Option<Preset>,
    /// The program and its arguments; for a preset the program alone.
    pub command: Vec<String>,
    /// Names of the variables that reach it, beside those that every program needs.
    pub env: Vec<String>,
}

/// A program whose options are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// `claude -p`
    Claude,
    /// `codex exec`
    Codex,
    /// `gemini -p`
    Gemini,
}

/// A model behind an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRunner {
    /// What is spoken there.
    pub protocol: Protocol,
    /// The address that the protocol's own paths follow.
    pub url: String,
    /// The name of the variable or secret that lets us in.
    pub key: Option<String>,
    /// How long one answer may be.
    pub max_tokens: u32,
    /// How often the model may speak.
    pub max_steps: u32,
    /// How much it may read and write in one run.
    pub token_budget: u64,
}

/// What is spoken at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Chat completions, as OpenAI and many others have them.
    Openai,
    /// Messages, as Anthropic has them.
    Anthropic,
}

impl Preset {
    /// The program.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }
}

impl Protocol {
    /// The word in the configuration and in receipts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    const fn home(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }
}

impl RunnerSettings {
    /// Who it is, for what a person approves. A preset's own options come with the program, and are not repeated.
    pub fn identity(&self, model: Option<&str>) -> RunnerIdentity {
        let (kind, target) = match &self.way {
            RunnerWay::Command(command) => ("command", crate::approvals::command_line(&command.command)),
            RunnerWay::Http(http) => (http.protocol.as_str(), http.url.clone()),
        };
        RunnerIdentity {
            name: self.name.clone(),
            kind: kind.to_owned(),
            target,
            model: model.map(|model| self.own_name(model)).or_else(|| self.model.clone()),
            tools: Vec::new(),
        }
    }
}

impl RunnerSettings {
    fn own_name(&self, model: &str) -> String {
        self.models.get(model).cloned().unwrap_or_else(|| model.to_owned())
    }
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    preset: Option<Preset>,
    command: Option<Vec<String>>,
    #[serde(default)]
    env: Vec<String>,
    protocol: Option<Protocol>,
    url: Option<String>,
    key: Option<String>,
    model: Option<String>,
    #[serde(default)]
    models: BTreeMap<String, String>,
    max_tokens: Option<u32>,
    max_steps: Option<u32>,
    token_budget: Option<u64>,
    timeout_seconds: Option<u64>,
}

/// `[subagents]` as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subagents {
    runner: Option<String>,
    #[serde(default)]
    skills: BTreeMap<String, String>,
}

/// The runners by name. Where both files have one, the person's counts.
pub fn runners(config: &Config) -> Vec<RunnerSettings> {
    let mut runners = BTreeMap::new();
    for (_, name, read) in entries(config) {
        match read {
            Ok(runner) => runners.insert(name, runner),
            Err(_) => runners.remove(&name),
        };
    }
    runners.into_values().collect()
}

/// The runner of a skill: the one named for it, else the one named for all, else the only one there is.
pub fn runner_for(config: &Config, skill: &str) -> Option<RunnerSettings> {
    let mut runners = runners(config);
    let said = choices(config).filter_map(|(_, read)| read.ok());
    let chosen = said.fold(Subagents::default(), |mut all, one| {
        all.runner = one.runner.or(all.runner);
        all.skills.extend(one.skills);
        all
    });
    let named = chosen.skills.get(skill).or(chosen.runner.as_ref());
    match named {
        Some(name) => runners.into_iter().find(|runner| runner.name == *name),
        None if runners.len() == 1 => runners.pop(),
        None => None,
    }
}

/// What is wrong with either. `files` says where each layer was read.
pub(crate) fn problems(config: &Config, files: &[ConfigFile]) -> Vec<Problem> {
    let told = |(layer, message): (Layer, String)| {
        let hint = "a runner has `preset`, `command`, or `protocol` and `model`; see docs/subagents.md";
        let problem = Problem::new(ProblemCode::ConfigValueInvalid, Pos::START, message, hint);
        problem.in_file(path_of(files, layer))
    };
    faults(config).into_iter().map(told).collect()
}

/// The same as sentences, each with whose file says it.
pub(crate) fn faults(config: &Config) -> Vec<(Layer, String)> {
    let wrong = entries(config).filter_map(|(layer, name, read)| Some((layer, name, read.err()?)));
    let mut faults: Vec<(Layer, String)> = wrong
        .map(|(layer, name, reason)| (layer, format!("`runners.{name}` cannot be used: {reason}")))
        .collect();
    let known: Vec<String> = runners(config).into_iter().map(|runner| runner.name).collect();
    for (layer, read) in choices(config) {
        match read {
            Err(reason) => faults.push((layer, format!("`subagents` cannot be used: {reason}"))),
            Ok(Subagents { runner, skills }) => {
                let named = runner.iter().chain(skills.values()).filter(|name| !known.contains(name));
                faults.extend(named.map(|name| {
                    (layer, format!("`subagents` names the runner `{name}`, which there is not"))
                }));
            }
        }
    }
    faults
}

type Read = Result<RunnerSettings, String>;

fn sections<'c>(config: &'c Config, name: &'static str) -> impl Iterator<Item = &'c Section> {
    config.sections.iter().filter(move |section| section.name == name && section.layer != Layer::Project)
}

fn choices(config: &Config) -> impl Iterator<Item = (Layer, Result<Subagents, String>)> {
    sections(config, "subagents").map(|section| {
        let read = serde_json::from_value(section.data.to_json()).map_err(|error| error.to_string());
        (section.layer, read)
    })
}

fn entries(config: &Config) -> impl Iterator<Item = (Layer, String, Read)> {
    sections(config, "runners").flat_map(|section| {
        let written = section.data.to_json().as_object().cloned().unwrap_or_default();
        written.into_iter().map(|(name, written)| {
            let read = serde_json::from_value(written).map_err(|error| error.to_string());
            let read = read.and_then(|written: Written| settings(&name, written));
            (section.layer, name, read)
        })
    })
}

fn settings(name: &str, written: Written) -> Read {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    if name.is_empty() || name.len() > 32 || !name.chars().all(is_plain) {
        return Err(
            "its name must be of small letters, digits, `-` and `_`, and no longer than 32".to_owned()
        );
    }
    let timeout = written.timeout_seconds.map(|seconds| Duration::from_secs(seconds.max(1)));
    let (model, models) = (written.model.clone(), written.models.clone());
    let way = match written.protocol {
        Some(protocol) => RunnerWay::Http(http(protocol, written)?),
        None => RunnerWay::Command(command(written)?),
    };
    if matches!(way, RunnerWay::Http(_)) && model.is_none() {
        return Err("it names no `model`".to_owned());
    }
    Ok(RunnerSettings { name: name.to_owned(), way, model, models, timeout })
}

fn http(protocol: Protocol, written: Written) -> Result<HttpRunner, String> {
    if written.preset.is_some() || written.command.is_some() || !written.env.is_empty() {
        return Err("it has both `protocol` and a program".to_owned());
    }
    let url = written.url.unwrap_or_else(|| protocol.home().to_owned());
    let url = url.trim_end_matches('/').to_owned();
    let host = url.strip_prefix("http://").map(|rest| rest.split('/').next().unwrap_or_default());
    let is_here = host.is_some_and(|host| is_loopback(host.rsplit_once(':').map_or(host, |(host, _)| host)));
    match host {
        None if url.starts_with("https://") => {}
        None => return Err("its URL begins with neither `https://` nor `http://`".to_owned()),
        Some(_) if written.key.is_some() && !is_here => {
            return Err("a key is sent over `https://`, or to this machine alone".to_owned());
        }
        Some(_) => {}
    }
    let budget = RunnerBudget::default();
    Ok(HttpRunner {
        protocol,
        url,
        key: written.key,
        max_tokens: written.max_tokens.unwrap_or(budget.answer_tokens).max(1),
        max_steps: written.max_steps.unwrap_or(budget.steps).max(1),
        token_budget: written.token_budget.unwrap_or(budget.tokens).max(1),
    })
}

fn command(written: Written) -> Result<CommandRunner, String> {
    let budgets = [written.max_tokens.is_some(), written.max_steps.is_some(), written.token_budget.is_some()];
    if written.url.is_some() || written.key.is_some() || budgets.contains(&true) {
        return Err("it has a `url`, `key` or budget, and no `protocol`".to_owned());
    }
    let command = match (written.preset, written.command) {
        (Some(preset), None) => vec![preset.program().to_owned()],
        // A preset's program under another name or path.
        (Some(_), Some(command)) if command.len() == 1 => command,
        (Some(_), Some(_)) => {
            return Err("beside `preset`, `command` is the program's place alone".to_owned());
        }
        (None, Some(command)) => {
            let takes_task = command.iter().any(|word| word.contains("{task}") || word.contains("{prompt}"));
            if !takes_task {
                return Err("its command has neither `{task}` nor `{prompt}`".to_owned());
            }
            command
        }
        (None, None) => return Err("it has none of `preset`, `command` and `protocol`".to_owned()),
    };
    let Some(program) = command.first().filter(|program| !program.is_empty()) else {
        return Err("its command is empty".to_owned());
    };
    if PLACEHOLDERS.iter().any(|placeholder| program.contains(placeholder)) {
        return Err("its program is a placeholder".to_owned());
    }
    if program.contains('/') && !program.starts_with('/') {
        return Err("its program is neither a name nor an absolute path".to_owned());
    }
    let mixed = command.iter().find(|word| {
        PLACEHOLDERS.iter().any(|placeholder| word.contains(placeholder) && word.as_str() != *placeholder)
    });
    if let Some(word) = mixed {
        return Err(format!("in `{word}` a placeholder is not an argument of its own"));
    }
    Ok(CommandRunner { preset: written.preset, command, env: written.env })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configure;
    use expect_test::{Expect, expect};

    fn file(layer: Layer, text: &str) -> ConfigFile {
        ConfigFile { layer, path: format!("{layer:?}.toml"), content: Ok(text.as_bytes().to_vec()) }
    }

    #[track_caller]
    fn check(layer: Layer, text: &str, expected: &Expect) {
        let files = [file(layer, text)];
        let configured = configure(&files);
        let mut told = String::new();
        for problem in configured.problems.iter().chain(&problems(&configured.config, &files)) {
            told += &format!("{}: {}\n", problem.code.as_str(), problem.message);
        }
        for runner in runners(&configured.config) {
            let identity = runner.identity(None);
            told +=
                &format!("{} = {} {} {:?}\n", identity.name, identity.kind, identity.target, identity.model);
        }
        let chosen = |skill| runner_for(&configured.config, skill).map(|runner| runner.name);
        told += &format!("ask: {:?}, review: {:?}\n", chosen("ask"), chosen("review"));
        expected.assert_eq(&told);
    }

    #[test]
    fn a_runner_is_a_program_or_an_address() {
        check(
            Layer::User,
            "[runners.c]\npreset = \"claude\"\nmodel = \"sonnet\"\n[runners.mine]\ncommand = [\"ask\", \"{system}\", \"{task}\"]\n\
             [runners.local]\nprotocol = \"openai\"\nurl = \"http://127.0.0.1:8080/v1/\"\nkey = \"K\"\nmodel = \"m\"\n\
             [runners.a]\nprotocol = \"anthropic\"\nmodel = \"m\"\n[subagents]\nrunner = \"mine\"\nskills = {review = \"c\"}\n",
            &expect![[r#"
                a = anthropic https://api.anthropic.com Some("m")
                c = command claude Some("sonnet")
                local = openai http://127.0.0.1:8080/v1 Some("m")
                mine = command ask '{system}' '{task}' None
                ask: Some("mine"), review: Some("c")
            "#]],
        );
    }

    #[test]
    fn the_only_runner_is_everybodys_and_of_several_one_must_be_named() {
        let one = "[runners.c]\npreset = \"claude\"\n";
        check(
            Layer::System,
            one,
            &expect![[r#"
                c = command claude None
                ask: Some("c"), review: Some("c")
            "#]],
        );
        check(
            Layer::User,
            &format!("{one}[runners.d]\npreset = \"codex\"\n"),
            &expect![[r#"
                c = command claude None
                d = command codex None
                ask: None, review: None
            "#]],
        );
    }

    #[test]
    fn a_projects_file_sets_no_runner() {
        check(
            Layer::Project,
            "[runners.evil]\ncommand = [\"/tmp/evil\", \"{task}\"]\n[subagents]\nrunner = \"evil\"\n",
            &expect![[r#"
                config_key_untrusted: `runners` cannot be set; a project's file only narrows, so it was ignored
                config_key_untrusted: `subagents` cannot be set; a project's file only narrows, so it was ignored
                ask: None, review: None
            "#]],
        );
    }

    #[test]
    fn what_cannot_be_used_is_left_out_and_told() {
        check(
            Layer::User,
            "[runners.Bad]\npreset = \"claude\"\n[runners.none]\nmodel = \"m\"\n[runners.shell]\ncommand = [\"sh\", \"-c\", \"ask '{task}'\"]\n\
             [runners.deaf]\ncommand = [\"ask\"]\n[runners.near]\ncommand = [\"./ask\", \"{task}\"]\n[runners.plain]\nprotocol = \"openai\"\n\
             url = \"http://example.org/v1\"\nkey = \"K\"\nmodel = \"m\"\n[runners.mute]\nprotocol = \"anthropic\"\n[runners.typo]\npreset = \"claud\"\n\
             [runners.both]\nprotocol = \"openai\"\ncommand = [\"x\"]\nmodel = \"m\"\n[subagents]\nrunner = \"gone\"\n",
            &expect![[r#"
                config_value_invalid: `runners.Bad` cannot be used: its name must be of small letters, digits, `-` and `_`, and no longer than 32
                config_value_invalid: `runners.none` cannot be used: it has none of `preset`, `command` and `protocol`
                config_value_invalid: `runners.shell` cannot be used: in `ask '{task}'` a placeholder is not an argument of its own
                config_value_invalid: `runners.deaf` cannot be used: its command has neither `{task}` nor `{prompt}`
                config_value_invalid: `runners.near` cannot be used: its program is neither a name nor an absolute path
                config_value_invalid: `runners.plain` cannot be used: a key is sent over `https://`, or to this machine alone
                config_value_invalid: `runners.mute` cannot be used: it names no `model`
                config_value_invalid: `runners.typo` cannot be used: unknown variant `claud`, expected one of `claude`, `codex`, `gemini`
                config_value_invalid: `runners.both` cannot be used: it has both `protocol` and a program
                config_value_invalid: `subagents` names the runner `gone`, which there is not
                ask: None, review: None
            "#]],
        );
    }
}
