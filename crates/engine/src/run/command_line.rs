//! The command that a script is started with: one shell, each argument quoted on its own.
//!
//! `bash -lc 'cd /skill && <interpreter> <script> --name value …'`. A parameter whose name stands in braces in `script` goes
//! there and nowhere else.

use serde_json::{Map, Value};

/// Why there is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCommand {
    /// The script's name needs a parameter that nobody gave.
    #[error("`script` needs the parameter `{0}`, which is not given")]
    MissingPart(String),
    /// The parameters make the script's name lead out of the skill.
    #[error("the parameters make `script` lead out of the skill")]
    LeadsOut,
}

/// A script's path in the skill, and the parameters that its name did not take up.
#[derive(Debug, PartialEq)]
pub struct Script {
    /// Its path.
    pub path: String,
    /// The parameters that are left.
    pub arguments: Vec<(String, String)>,
}

/// Fills the script's name in.
pub fn script(template: &str, parameters: &Map<String, Value>) -> Result<Script, NoCommand> {
    let mut taken = Vec::new();
    let mut path = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        path.push_str(before);
        let value = parameters.get(name).ok_or_else(|| NoCommand::MissingPart(name.to_owned()))?;
        let part = text(value);
        // The rest of the name is the author's, and was checked when the skill was read.
        if part.split('/').any(|part| part == "..") || part.contains(['\0', '\\']) {
            return Err(NoCommand::LeadsOut);
        }
        path.push_str(&part);
        taken.push(name);
        rest = after;
    }
    path.push_str(rest);
    if path.starts_with('/') {
        return Err(NoCommand::LeadsOut);
    }
    if path.starts_with('-') {
        // No interpreter shall take it for an option.
        path.insert_str(0, "./");
    }
    let left = parameters.iter().filter(|(name, _)| !taken.contains(&name.as_str()));
    Ok(Script { path, arguments: left.map(|(name, value)| (name.clone(), text(value))).collect() })
}

/// The command of a plugin's file that takes no arguments; `first_bytes` say what runs it.
pub fn entrypoint_command(path: &str, first_bytes: &[u8]) -> Vec<String> {
    let script = Script { path: path.to_owned(), arguments: Vec::new() };
    argv(&interpreter(path, first_bytes), &script)
}

/// The whole command.
pub fn argv(interpreter: &str, script: &Script) -> Vec<String> {
    let mut line = format!("cd /skill && {interpreter} {}", quoted(&script.path));
    for (name, value) in &script.arguments {
        line.push_str(&format!(" {} {}", quoted(format!("--{name}")), quoted(value)));
    }
    vec!["bash".to_owned(), "-lc".to_owned(), line]
}

/// What runs a script: what its first line names, else what its ending says, else a shell.
pub fn interpreter(path: &str, first_bytes: &[u8]) -> String {
    named_by_first_line(first_bytes).unwrap_or_else(|| by_ending(path).to_owned())
}

/// `#!/usr/bin/env -S python3 -u` is `python3 -u`; each word is quoted.
fn named_by_first_line(bytes: &[u8]) -> Option<String> {
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.trim();
    let mut words = line.split_ascii_whitespace().peekable();
    let program = words.next()?;
    let is_env = program.rsplit('/').next() == Some("env");
    if is_env {
        words.next_if_eq(&"-S");
    }
    let mut kept: Vec<String> = if is_env { Vec::new() } else { vec![quoted(known(program))] };
    kept.extend(words.map(quoted));
    (!kept.is_empty()).then(|| kept.join(" "))
}

/// The usual shells are found wherever the image has them.
fn known(program: &str) -> &str {
    match program {
        "/bin/bash" | "/usr/bin/bash" | "/usr/local/bin/bash" => "bash",
        "/bin/sh" | "/usr/bin/sh" => "sh",
        other => other,
    }
}

fn by_ending(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
        Some("py") => "python3",
        Some("js" | "mjs" | "cjs") => "node",
        Some("rb") => "ruby",
        Some("pl") => "perl",
        Some("php") => "php",
        Some("lua") => "lua",
        Some("r") => "Rscript",
        Some("zsh") => "zsh",
        _ => "bash",
    }
}

/// A value as a script reads it: texts as they are, everything else as JSON.
pub fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A word that the shell reads as it is.
fn quoted(word: impl AsRef<str>) -> String {
    let word = word.as_ref();
    let is_plain = |c: char| c.is_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r#"'"'"'"#))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::json;

    #[track_caller]
    fn check(template: &str, parameters: Value, expected: &Expect) {
        let Value::Object(parameters) = parameters else { panic!("an object") };
        let told = match script(template, &parameters) {
            Ok(script) => argv(&interpreter(&script.path, b""), &script).join("|"),
            Err(error) => format!("error: {error}"),
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn parameters_become_arguments_each_quoted_on_its_own() {
        check(
            "lint.sh",
            json!({"path": "src/app.py"}),
            &expect!["bash|-lc|cd /skill && bash lint.sh --path src/app.py"],
        );
        check(
            "a b.sh",
            json!({"s": "it's", "e": "", "n": null, "t": true, "f": 1.0, "l": [1, "x"], "a;b": "$(id)"}),
            &expect![[
                r#"bash|-lc|cd /skill && bash 'a b.sh' --s 'it'"'"'s' --e '' --n null --t true --f 1.0 --l '[1,"x"]' '--a;b' '$(id)'"#
            ]],
        );
    }

    #[test]
    fn a_name_in_braces_takes_its_parameter_up() {
        check(
            "run_{mode}.sh",
            json!({"mode": "fast", "x": 1}),
            &expect!["bash|-lc|cd /skill && bash run_fast.sh --x 1"],
        );
        check(
            "run_{mode}.sh",
            json!({"x": 1}),
            &expect!["error: `script` needs the parameter `mode`, which is not given"],
        );
        check(
            "run_{mode}.sh",
            json!({"mode": "../../etc/x"}),
            &expect!["error: the parameters make `script` lead out of the skill"],
        );
        check(
            "{mode}",
            json!({"mode": "/bin/sh"}),
            &expect!["error: the parameters make `script` lead out of the skill"],
        );
        check("run_{mode", json!({"mode": "a"}), &expect!["bash|-lc|cd /skill && bash 'run_{mode' --mode a"]);
        check("{mode}", json!({"mode": "-c"}), &expect!["bash|-lc|cd /skill && bash ./-c"]);
    }

    #[test]
    fn the_first_line_says_who_runs_it_then_the_ending() {
        let told = |path: &str, first: &str| interpreter(path, first.as_bytes());
        assert_eq!(told("x.py", ""), "python3");
        assert_eq!(told("x", ""), "bash");
        assert_eq!(told("x.MJS", ""), "node");
        assert_eq!(told("x.sh", "#!/usr/bin/env python3\nprint()"), "python3");
        assert_eq!(told("x.sh", "#!/usr/bin/env -S python3 -u\n"), "python3 -u");
        assert_eq!(told("x", "#!/bin/bash -e\n"), "bash -e");
        assert_eq!(told("x", "#!/opt/my tool/run;id\n"), "/opt/my 'tool/run;id'");
        assert_eq!(told("x.rb", "#!\n"), "ruby");
        assert_eq!(told("x.sh", "#!\u{ff}\n"), "'\u{ff}'".replace("'", ""));
    }
}
