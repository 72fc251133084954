//! The rules on calls: what runs code or commands, what sends, what reads unsafely.

use super::evaluate::Program;
use super::expression::Call;
use super::known::{self, is};
use super::value::Value;
use crate::address::{self, Place};
use crate::codes::Code;
use crate::flow::Taint;
use crate::scan::Setting;
use crate::syntax::Grammar;
use crate::{code, shell};

/// A call with what is known of it.
pub struct Called<'a> {
    /// What is called.
    pub callee: &'a Value,
    /// With what.
    pub arguments: &'a [Value],
    /// And with which keywords.
    pub keywords: &'a [(String, Value)],
    /// How it is written.
    pub call: &'a Call,
}

/// Measures one call by all rules.
pub fn check(program: &mut Program<'_, '_>, called: &Called<'_>) {
    hidden(program, called);
    evaluates(program, called);
    commands(program, called);
    sends(program, called);
    loads(program, called);
    writes(program, called);
}

fn report(program: &mut Program<'_, '_>, called: &Called<'_>, code: Code) {
    program.scan.report(program.source, called.call.row, code, program.evidence(called.call));
}

fn hidden(program: &mut Program<'_, '_>, called: &Called<'_>) {
    let path = &called.callee.path;
    let is_powerful = is(path, known::COMMANDS) || is(path, known::EVALUATORS) || path == "socket.socket";
    if called.callee.hidden && is_powerful {
        report(program, called, Code::HiddenCall);
    }
}

fn evaluates(program: &mut Program<'_, '_>, called: &Called<'_>) {
    let is_compiler = is(&called.callee.path, known::COMPILERS);
    if !is(&called.callee.path, known::EVALUATORS) && !is_compiler {
        return;
    }
    let Some(argument) = called
        .arguments
        .last()
        .filter(|_| called.callee.path.ends_with("Function"))
        .or(called.arguments.first())
    else {
        return;
    };
    origin(program, called, &argument.taint);
    match &argument.text {
        Some(text) if !is_compiler => inner(program, program.grammar, text, called.call.row),
        None if argument.taint.is_clean() && !is_compiler && program.source.setting == Setting::Script => {
            report(program, called, Code::DynamicCode);
        }
        _ => {}
    }
}

/// What is executed was decoded or fetched.
fn origin(program: &mut Program<'_, '_>, called: &Called<'_>, taint: &Taint) {
    if taint.decoded {
        report(program, called, Code::ExecDecoded);
    }
    if let Some(url) = &taint.download
        && address::place(url) != Place::Local
    {
        report(program, called, Code::ExecRemote);
    }
}

fn commands(program: &mut Program<'_, '_>, called: &Called<'_>) {
    if !is(&called.callee.path, known::COMMANDS) {
        return;
    }
    let Some(first) = called.arguments.first() else { return };
    let mut words: Vec<&Value> =
        if first.items().is_empty() { vec![first] } else { first.items().iter().collect() };
    // `spawn("bash", ["-c", …])`: the list stands behind the program.
    let is_split =
        first.items().is_empty() && called.arguments.get(1).is_some_and(|list| !list.items().is_empty());
    if is_split {
        words.extend(called.arguments.get(1).into_iter().flat_map(Value::items));
    }
    origin(program, called, &executed(&words, first));
    if words.len() == 1 {
        let line = first.text.clone().unwrap_or_default();
        inner(program, Grammar::Shell, &line, called.call.row);
        return;
    }
    let quoted = |value: &&Value| match &value.text {
        Some(text) => format!("'{}'", text.replace('\'', "'\\''")),
        None => "\"$unknown\"".to_owned(),
    };
    let line = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
    inner(program, Grammar::Shell, &line, called.call.row);
}

/// The origin of what a command executes: its program, and its arguments where they are a program in turn.
fn executed(words: &[&Value], first: &Value) -> Taint {
    let [name, arguments @ ..] = words else { return first.taint.clone() };
    let mut taint = if arguments.is_empty() { first.taint.clone() } else { name.taint.clone() };
    let is_known = name.text.as_deref().is_some_and(|name| !known::runs_arguments(name)) || is_opener(words);
    if !is_known {
        arguments.iter().for_each(|argument| taint.merge(&argument.taint));
    }
    taint
}

/// `cmd /c start "" ADDRESS`: how a page is opened on Windows.
fn is_opener(words: &[&Value]) -> bool {
    let mut texts = words.iter().map(|word| word.text().to_ascii_lowercase());
    let is_cmd = texts.next().is_some_and(|name| matches!(name.as_str(), "cmd" | "cmd.exe"));
    is_cmd && texts.next().as_deref() == Some("/c") && texts.next().as_deref() == Some("start")
}

fn inner(program: &mut Program<'_, '_>, grammar: Grammar, text: &str, row: usize) {
    if text.trim().is_empty() {
        return;
    }
    let line = program.source.at(row);
    match program.source.inner(line) {
        Some(inner) if grammar == Grammar::Shell => shell::scan(text, &inner, program.scan),
        Some(inner) => code::scan(grammar, text, &inner, program.scan),
        None => program.scan.limit(program.source.path, "code is wrapped deeper than what is read"),
    }
}

fn sends(program: &mut Program<'_, '_>, called: &Called<'_>) {
    let path = called.callee.path.as_str();
    if !known::is_network(path) {
        return;
    }
    if program.source.setting == Setting::Script {
        let line = program.source.at(called.call.row);
        program.scan.needs.network(program.source.path, line, program.evidence(called.call));
    }
    let mut sent = Taint::default();
    called.arguments.iter().for_each(|argument| sent.merge(&argument.taint));
    let mut shown = called.callee.taint.clone();
    for (key, value) in called.keywords {
        let is_proof = matches!(key.as_str(), "headers" | "auth" | "cookies" | "cert" | "verify");
        let target = if is_proof { &mut shown } else { &mut sent };
        target.merge(&value.taint);
    }
    let url = called.arguments.iter().find_map(|argument| address::target(argument.text()));
    let known_url = url.or(called.callee.taint.download.as_deref());
    let place = known_url.map_or(Place::Unknown, address::place);
    if place == Place::Local {
        return;
    }
    if sent.credential.is_some() {
        report(program, called, Code::CredentialsToNetwork);
    }
    if sent.environment {
        report(program, called, Code::EnvironmentToNetwork);
    }
    shown.merge(&sent);
    match place {
        Place::Drop if shown.secret.is_some() => report(program, called, Code::SecretToDropSite),
        Place::Drop => report(program, called, Code::DropSite),
        Place::Bare => report(program, called, Code::BareAddress),
        _ => {}
    }
}

fn loads(program: &mut Program<'_, '_>, called: &Called<'_>) {
    let path = called.callee.path.as_str();
    let loader =
        called.keywords.iter().find(|(key, _)| key == "Loader").map(|(_, value)| value.path.as_str());
    let loader = loader.or(called.arguments.get(1).map(|value| value.path.as_str()));
    let is_yaml = path == "yaml.load" && !loader.is_some_and(|loader| loader.contains("Safe"));
    if (is_yaml || is(path, known::UNSAFE_LOADS)) && program.source.setting == Setting::Script {
        report(program, called, Code::UnsafeLoad);
    }
}

fn writes(program: &mut Program<'_, '_>, called: &Called<'_>) {
    let path = called.callee.path.as_str();
    let mode = called.arguments.get(1).map(Value::text).filter(|mode| !mode.is_empty());
    let keyword = called.keywords.iter().find(|(key, _)| key == "mode").map(|(_, value)| value.text());
    let opens = matches!(path, "open" | "io.open")
        && mode.or(keyword).is_some_and(|mode| mode.contains(['w', 'a', 'x', '+']));
    let method = path.ends_with(".write_text") || path.ends_with(".write_bytes");
    if program.source.setting != Setting::Script || !(opens || method || is(path, known::WRITERS)) {
        return;
    }
    let target = if method { called.callee.text() } else { called.arguments.first().map_or("", Value::text) };
    if !["/tmp", "/output", "/dev"].iter().any(|own| target.starts_with(own)) {
        let line = program.source.at(called.call.row);
        program.scan.needs.write(program.source.path, line, program.evidence(called.call));
    }
}
