//! The walk over a script: statements in their order, each command expanded, run through the rules, its output kept.
//!
//! Branches and loops are walked once, as if all of them were taken. Meaning is given to commands by `output`.

use super::command::{Command, Redirect, is_name};
use super::output::output;
use super::rules;
use super::word::Word;
use crate::code;
use crate::codes::Code;
use crate::flow::Taint;
use crate::scan::{Scan, Setting, Source};
use crate::syntax::{Grammar, MAX_TREE_DEPTH, children, named, text_of};
use std::collections::HashMap;
use tree_sitter::Node;

/// How many characters of a statement serve as evidence.
const MAX_TEXT: usize = 400;

/// A script that is being read.
pub struct Reader<'a, 's> {
    pub text: &'a str,
    pub source: &'a Source<'s>,
    pub scan: &'a mut Scan,
    /// What variables hold.
    pub variables: HashMap<String, Word>,
    /// What files hold that were written so far.
    pub files: HashMap<String, Taint>,
    /// How deep the walk is.
    pub depth: usize,
    is_limited: bool,
}

impl<'a, 's> Reader<'a, 's> {
    /// A reader of a text.
    pub fn new(text: &'a str, source: &'a Source<'s>, scan: &'a mut Scan) -> Self {
        let (variables, files) = (HashMap::new(), HashMap::new());
        Self { text, source, scan, variables, files, depth: 0, is_limited: false }
    }

    /// Reads everything below a node.
    pub fn read(mut self, root: Node<'_>) {
        self.block(root, None);
    }

    /// Reads the statements below a node; their outputs together.
    pub fn block(&mut self, node: Node<'_>, input: Option<&Word>) -> Word {
        let mut output = Word::default();
        for child in named(node) {
            output.append(&self.statement(child, input));
        }
        output
    }

    /// Reads one statement and gives its output.
    pub fn statement(&mut self, node: Node<'_>, input: Option<&Word>) -> Word {
        if self.depth > MAX_TREE_DEPTH {
            if !std::mem::replace(&mut self.is_limited, true) {
                self.scan.limit(self.source.path, "the script nests deeper than what is read");
            }
            return Word::unknown();
        }
        self.depth += 1;
        let output = self.statement_within(node, input);
        self.depth -= 1;
        output
    }

    fn statement_within(&mut self, node: Node<'_>, input: Option<&Word>) -> Word {
        match node.kind() {
            "command" => {
                let command = self.command(node);
                self.run(&command, input, node)
            }
            "pipeline" => self.pipeline(node, input),
            "redirected_statement" => self.redirected(node, input),
            "variable_assignment" => self.assign(node),
            "declaration_command" => {
                named(node).into_iter().filter(|child| child.kind() == "variable_assignment").for_each(
                    |child| {
                        self.assign(child);
                    },
                );
                Word::default()
            }
            "function_definition" => {
                rules::fork_bomb(node, self.text, self.source, self.scan);
                self.block(node, input)
            }
            "comment" | "word" | "variable_name" | "heredoc_body" => Word::default(),
            "string"
            | "raw_string"
            | "concatenation"
            | "expansion"
            | "simple_expansion"
            | "command_substitution" => self.expand(node),
            _ => self.block(node, input),
        }
    }

    fn pipeline(&mut self, node: Node<'_>, input: Option<&Word>) -> Word {
        let mut flowing: Option<Word> = input.cloned();
        for stage in named(node) {
            flowing = Some(self.statement(stage, flowing.as_ref()));
        }
        flowing.unwrap_or_default()
    }

    fn assign(&mut self, node: Node<'_>) -> Word {
        let name = node.child_by_field_name("name").map_or("", |name| text_of(name, self.text));
        let mut value = node.child_by_field_name("value").map(|value| self.expand(value)).unwrap_or_default();
        let appends = children(node).iter().any(|child| child.kind() == "+=");
        if is_name(name) {
            if appends && let Some(held) = self.variables.get(name) {
                let mut joined = held.clone();
                joined.append(&value);
                value = joined;
            }
            self.variables.insert(name.to_owned(), value);
        }
        Word::default()
    }

    /// A command's words, expanded.
    fn command(&mut self, node: Node<'_>) -> Command {
        let mut command = Command { row: node.start_position().row, ..Command::default() };
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => {
                    self.assign(child);
                }
                "file_redirect" | "herestring_redirect" => self.redirect(child, &mut command),
                "command_name" => {
                    let inner = named(child).first().copied();
                    let word = inner.map(|inner| self.expand(inner));
                    let word = word.unwrap_or_else(|| Word::known(text_of(child, self.text)));
                    command.words.extend(word.split(inner.is_some_and(is_split)));
                }
                "subshell" => {
                    let inner = self.statement(child, None);
                    command.words.push(Word { text: String::new(), open: true, ..inner });
                }
                _ => {
                    let word = self.expand(child);
                    command.words.extend(word.split(is_split(child)));
                }
            }
        }
        command
    }

    fn redirect(&mut self, node: Node<'_>, command: &mut Command) {
        if node.kind() == "herestring_redirect" {
            let fed = named(node).last().map(|word| self.expand(*word));
            command.fed = fed.or(command.fed.take());
            return;
        }
        let operator =
            children(node).iter().find(|child| !child.is_named()).map(Node::kind).unwrap_or_default();
        if let Some(target) = node.child_by_field_name("destination") {
            let target = self.expand(target);
            command.redirects.push(Redirect { operator: operator.to_owned(), target });
        }
    }

    /// A statement with redirections and here-documents, and what is piped behind the latter.
    fn redirected(&mut self, node: Node<'_>, input: Option<&Word>) -> Word {
        let mut extra = Command::default();
        let mut behind = Vec::new();
        for child in children(node) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" => self.redirect(child, &mut extra),
                "heredoc_redirect" => {
                    let body = named(child).into_iter().find(|part| part.kind() == "heredoc_body");
                    extra.fed = body.map(|body| Word::known(text_of(body, self.text)));
                    behind
                        .extend(named(child).into_iter().filter(|part| !part.kind().starts_with("heredoc")));
                }
                _ => {}
            }
        }
        let Some(body) = node.child_by_field_name("body") else { return Word::default() };
        let mut output = if body.kind() == "command" {
            let mut command = self.command(body);
            command.redirects.append(&mut extra.redirects);
            command.fed = extra.fed.or(command.fed);
            self.run(&command, input, node)
        } else {
            let output = self.statement(body, extra.fed.as_ref().or(input));
            self.write_redirects(&extra, &output, node);
            output
        };
        for statement in behind {
            output = self.statement(statement, Some(&output));
        }
        output
    }

    /// Measures a command by the rules and gives its output.
    fn run(&mut self, command: &Command, input: Option<&Word>, node: Node<'_>) -> Word {
        let text = self.evidence(node);
        let input = command.fed.as_ref().or(input);
        rules::check(self, command, input, &text);
        let output = output(command, input, self);
        self.write_redirects(command, &output, node);
        output
    }

    fn write_redirects(&mut self, command: &Command, output: &Word, node: Node<'_>) {
        for redirect in command.redirects.iter().filter(|redirect| redirect.operator.contains('>')) {
            let target = redirect.target.text.clone();
            if target.is_empty() || target.starts_with("/dev/null") || redirect.is_descriptor() {
                continue;
            }
            self.note_write(&target, node.start_position().row);
            self.files.entry(target).or_default().merge(&output.taint);
        }
    }

    /// A script writes a file; what lies in its own places is nobody's workspace.
    pub fn note_write(&mut self, target: &str, row: usize) {
        let own = ["/tmp", "/output", "/dev", "$TMP", "/var/tmp", "\"$TMP"];
        if self.source.setting == Setting::Script && !own.iter().any(|place| target.starts_with(place)) {
            let line = self.source.at(row);
            self.scan.needs.write(self.source.path, line, target);
        }
    }

    /// Looks at a text that is executed in turn, in the language of its interpreter.
    pub fn inner(&mut self, grammar: Grammar, text: &str, row: usize) {
        let line = self.source.at(row);
        match self.source.inner(line) {
            Some(inner) if grammar == Grammar::Shell => super::scan(text, &inner, self.scan),
            Some(inner) => code::scan(grammar, text, &inner, self.scan),
            None => self.scan.limit(self.source.path, "commands are wrapped deeper than what is read"),
        }
    }

    /// Reports what a command shows.
    pub fn report(&mut self, command: &Command, code: Code, text: &str) {
        self.scan.report(self.source, command.row, code, text);
    }

    fn evidence(&self, node: Node<'_>) -> String {
        // The whole pipeline says more than the one command in it.
        let whole = node.parent().filter(|parent| parent.kind() == "pipeline").unwrap_or(node);
        text_of(whole, self.text).chars().take(MAX_TEXT).collect()
    }
}

/// Whether what a word expands to is parted at blanks: it stands in no quotes.
fn is_split(node: Node<'_>) -> bool {
    matches!(node.kind(), "concatenation" | "simple_expansion" | "expansion" | "command_substitution")
}
