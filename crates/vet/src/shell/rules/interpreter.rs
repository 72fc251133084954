//! What is executed unseen: downloads and decoded text that reach an interpreter, by any road.

use crate::address::{self, Place};
use crate::codes::Code;
use crate::flow::Taint;
use crate::pattern::patterns;
use crate::scan::Setting;
use crate::shell::command::{Command, base};
use crate::shell::reader::Reader;
use crate::shell::word::Word;
use crate::syntax::Grammar;

patterns! {
    /// What runs a string, in any language.
    RUNS = r"(eval|exec|compile|function|system|popen|spawn|fork|subprocess|child_process|import_module|__import__|vm\.|qx|%x|do shell script|invoke|iex|\\|require[ (]+[^'\x22 ])";
}

/// How a text came to be executed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Road {
    /// In one step, by a pipe or a substitution.
    Direct,
    /// Kept in a file first.
    File,
}

pub fn check(reader: &mut Reader<'_, '_>, command: &Command, input: Option<&Word>, text: &str) {
    let name = command.name();
    if matches!(name, "eval" | "source" | "." | "iex" | "Invoke-Expression") {
        return evaluated(reader, command, text);
    }
    let Some(grammar) = interpreter(name) else { return downloaded_program(reader, command, text) };
    let inline: &[&str] = match grammar {
        Some(Grammar::Shell) => &["-c", "-lc", "-ic", "-ec", "-xc"],
        Some(Grammar::Python) => &["-c"],
        _ => &["-e", "--eval", "-c", "-Command", "-r", "-p", "-EncodedCommand", "-enc"],
    };
    let programs: Vec<Word> = command.values(inline).collect();
    for program in &programs {
        executed(reader, command, program, grammar, text);
    }
    let file = command.operands().next();
    match file {
        Some(file) if programs.is_empty() && file.text != "-" => {
            let mut taint = file.taint.clone();
            let kept = reader.files.get(&file.text).cloned();
            kept.iter().for_each(|kept| taint.merge(kept));
            let road = if file.taint.download.is_some() { Road::Direct } else { Road::File };
            measure(reader, command, &taint, road, text);
        }
        _ if programs.is_empty() && !command.has('m', "") || command.has('s', "") && programs.is_empty() => {
            if let Some(input) = input {
                executed(reader, command, input, grammar, text);
            }
        }
        _ => {}
    }
}

/// The language of an interpreter; those whose language is not parsed have none.
fn interpreter(name: &str) -> Option<Option<Grammar>> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match stem {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" => Some(Some(Grammar::Shell)),
        "python" | "pypy" => Some(Some(Grammar::Python)),
        "node" | "nodejs" | "bun" | "deno" => Some(Some(Grammar::JavaScript)),
        "perl" | "ruby" | "php" | "osascript" | "pwsh" | "powershell" | "powershell.exe" | "cmd.exe" => {
            Some(None)
        }
        _ => None,
    }
}

fn evaluated(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    let mut program = Word::default();
    for word in command.args() {
        program.push(" ");
        program.append(word);
    }
    let is_eval = command.name() == "eval";
    if is_eval && program.open && program.taint.is_clean() && reader.source.setting == Setting::Script {
        let is_variable = program.text.trim().starts_with('$') && !text.contains("$(");
        if is_variable {
            reader.report(command, Code::EvalVariable, text);
        }
    }
    if is_eval {
        executed(reader, command, &program, Some(Grammar::Shell), text);
    } else {
        measure(reader, command, &program.taint.clone(), Road::Direct, text);
    }
}

/// A text is executed: its origin is measured, and where it is known it is read in turn.
fn executed(
    reader: &mut Reader<'_, '_>,
    command: &Command,
    program: &Word,
    grammar: Option<Grammar>,
    text: &str,
) {
    if grammar != Some(Grammar::Shell) && is_string_in(&program.text) {
        reader.report(command, Code::DynamicCode, text);
        measure(reader, command, &Taint { download: None, ..program.taint.clone() }, Road::Direct, text);
    } else {
        measure(reader, command, &program.taint, Road::Direct, text);
    }
    let Some(grammar) = grammar else { return };
    if !program.text.trim().is_empty() {
        reader.inner(grammar, &program.text, command.row);
    }
}

/// Whether what is not known of a program stands in strings of it, and nothing in it runs strings.
///
/// A hostile answer could still end the string; that is a weakness of the program, and no way to run what is fetched.
fn is_string_in(program: &str) -> bool {
    let mut open: Option<char> = None;
    let (mut strings, mut is_bare) = (0, false);
    let mut chars = program.chars();
    while let Some(c) = chars.next() {
        match (c, open) {
            ('\\', _) => drop(chars.next()),
            ('\u{fffc}', None) => is_bare = true,
            ('\u{fffc}', Some(_)) => strings += 1,
            ('\'' | '"' | '`', None) => open = Some(c),
            (c, Some(quote)) if c == quote => open = None,
            _ => {}
        }
    }
    strings > 0 && !is_bare && !RUNS.is_in(program)
}

/// A program is called by its path, and that file was fetched before.
fn downloaded_program(reader: &mut Reader<'_, '_>, command: &Command, text: &str) {
    let Some(name) = command.own().first() else { return };
    let file = name.text.strip_prefix("./").unwrap_or(&name.text);
    let kept = reader
        .files
        .get(&name.text)
        .or_else(|| reader.files.get(file))
        .or_else(|| (name.text.contains('/')).then(|| reader.files.get(base(file))).flatten());
    if let Some(taint) = kept.cloned() {
        measure(reader, command, &taint, Road::File, text);
    }
}

fn measure(reader: &mut Reader<'_, '_>, command: &Command, taint: &Taint, road: Road, text: &str) {
    if taint.decoded {
        reader.report(command, Code::DecodeToInterpreter, text);
    }
    let Some(url) = &taint.download else { return };
    let code = match (address::place(url), road) {
        (Place::Local, _) | (Place::Named | Place::Installer | Place::Unknown, Road::File) => return,
        (Place::Installer | Place::Unknown, Road::Direct) => Code::InstallerPipe,
        (Place::Plain, Road::File) => Code::InstallerPipe,
        _ => Code::PipeToInterpreter,
    };
    reader.report(command, code, text);
}
