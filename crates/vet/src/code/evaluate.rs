//! Evaluation as far as constants go: names, joined texts, decoders, files, the environment.
//!
//! One map of names serves the whole program. What cannot be known stays unknown.

use super::expression::{Call, Expression, Statement};
use super::known::{self, is};
use super::rules;
use super::value::Value;
use crate::flow::Taint;
use crate::scan::{Scan, Setting, Source};
use crate::secrets;
use crate::syntax::Grammar;
use std::collections::{BTreeMap, HashMap};

/// How many members of one list are kept.
const MAX_ITEMS: usize = 64;
/// How many members of all lists together are gone through one by one.
const MAX_ROUNDS: usize = 200;
/// How deep functions within functions are followed.
const MAX_NESTING: usize = 40;

/// A program that is being evaluated.
pub struct Program<'a, 's> {
    pub grammar: Grammar,
    text: &'a str,
    pub source: &'a Source<'s>,
    pub scan: &'a mut Scan,
    /// What names hold.
    pub names: HashMap<String, Value>,
    /// What calls of functions are worth, by the functions' names.
    pub returned: HashMap<String, Value>,
    /// The parameters of functions, and what they were called with.
    parameters: HashMap<String, Vec<(String, Taint)>>,
    nesting: usize,
    rounds: usize,
}

/// What the functions of a program return, by name, where they return what is private.
pub fn returns(grammar: Grammar, statements: &[Statement], source: &Source<'_>) -> BTreeMap<String, Taint> {
    let mut scan = Scan::default();
    // Nothing is reported here, so that nothing is quoted.
    let mut program = Program::new(grammar, "", source, &mut scan);
    program.all(statements);
    program.all(statements);
    let is_private = |value: &Value| value.taint.credential.is_some() || value.taint.environment;
    let functions = program.returned.into_iter().filter(|(_, value)| is_private(value));
    functions.map(|(name, value)| (name, value.taint)).collect()
}

/// Evaluates a program and measures its calls.
pub fn run(grammar: Grammar, text: &str, statements: &[Statement], source: &Source<'_>, scan: &mut Scan) {
    let mut program = Program::new(grammar, text, source, scan);
    // Functions are called above and below where they stand; the second time all calls are known.
    program.all(statements);
    program.all(statements);
}

impl<'a, 's> Program<'a, 's> {
    fn new(grammar: Grammar, text: &'a str, source: &'a Source<'s>, scan: &'a mut Scan) -> Self {
        let (names, returned, parameters) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { grammar, text, source, scan, names, returned, parameters, nesting: 0, rounds: MAX_ROUNDS }
    }

    /// The text of a call.
    pub fn evidence(&self, call: &Call) -> &'a str {
        self.text.get(call.text.clone()).unwrap_or_default()
    }

    fn all(&mut self, statements: &[Statement]) -> Value {
        let mut returned = Value::default();
        if self.nesting > MAX_NESTING {
            self.scan.limit(self.source.path, "functions nest deeper than what is read");
            return returned;
        }
        self.nesting += 1;
        for statement in statements {
            match statement {
                Statement::Assign(names, value, adds) => self.assign(names, value, *adds),
                Statement::Each(names, list, body) => {
                    let list = self.value(list);
                    let found = self.each(names, &list, body);
                    returned.taint.merge(&found.taint);
                }
                Statement::Evaluate(value) => {
                    self.value(value);
                }
                Statement::Import(name, path) => {
                    self.names.insert(name.clone(), Value::of_path(path.clone()));
                }
                Statement::Define(name, parameters, body) => self.define(name, parameters, body),
                Statement::Return(value) => {
                    let value = self.value(value);
                    returned.taint.merge(&value.taint);
                    returned.text = returned.text.or(value.text);
                }
            }
        }
        self.nesting -= 1;
        returned
    }

    /// Goes through a body with each member of a list that is known, else once with the list itself.
    fn each(&mut self, names: &[String], list: &Value, body: &[Statement]) -> Value {
        let mut returned = Value::default();
        let is_short = !list.items().is_empty() && list.items().len() <= self.rounds;
        let members =
            if is_short { list.items().to_vec() } else { vec![list.clone().with_items(Vec::new())] };
        self.rounds = self.rounds.saturating_sub(members.len());
        for member in members {
            names.iter().for_each(|name| {
                self.names.insert(name.clone(), member.clone());
            });
            let found = self.all(body);
            returned.taint.merge(&found.taint);
        }
        returned
    }

    fn assign(&mut self, names: &[String], value: &Expression, adds: bool) {
        let value = self.value(value);
        for name in names {
            let mut next = value.clone();
            if adds && let Some(held) = self.names.get(name) {
                next = Value::joined(&[held.clone(), next], "");
            }
            self.names.insert(name.clone(), next);
        }
    }

    fn define(&mut self, name: &str, parameters: &[String], body: &[Statement]) {
        let known = self.parameters.entry(name.to_owned()).or_default();
        if known.is_empty() {
            known.extend(parameters.iter().map(|name| (name.clone(), Taint::default())));
        }
        for (parameter, taint) in known.clone() {
            self.names.insert(parameter, Value::of_taint(taint));
        }
        let mut returned = self.all(body);
        returned.path = format!("{name}()");
        // A call of the function is worth what it returns.
        self.returned.insert(name.to_owned(), returned);
    }

    /// The value of an expression; calls in it are measured.
    pub fn value(&mut self, expression: &Expression) -> Value {
        match expression {
            Expression::Text(text) => Value::of_text(text.clone()),
            Expression::Number(number) => Value { path: number.to_string(), ..Value::default() },
            Expression::Name(name) => self.name(name),
            Expression::Member(of, name) => {
                let of = self.value(of);
                self.member(of, name, false)
            }
            Expression::Index(of, index) => self.index(of, index),
            Expression::Reversed(of) => {
                let of = self.value(of);
                Value { text: of.text.map(|text| text.chars().rev().collect()), ..of }
            }
            Expression::Join(parts, between) => {
                let parts: Vec<Value> = parts.iter().map(|part| self.value(part)).collect();
                Value::joined(&parts, between)
            }
            Expression::Group(entries) => self.group(entries),
            Expression::Function(_, body) => {
                let returned = self.all(body);
                Value { path: String::new(), text: None, ..returned }
            }
            Expression::Call(call) => self.call(call),
        }
    }

    fn name(&mut self, name: &str) -> Value {
        match self.names.get(name) {
            Some(value) => value.clone(),
            None => Value::of_path(name.to_owned()),
        }
    }

    /// `of.name`, also where the name is computed.
    pub fn member(&mut self, of: Value, name: &str, hidden: bool) -> Value {
        if let Some(variable) = self.environment(&of.path, name) {
            return variable;
        }
        let path = [if of.path.is_empty() { "()" } else { of.path.as_str() }, ".", name].concat();
        if let Some(held) = self.names.get(&path) {
            return held.clone();
        }
        let whole = is(&path, &["os.environ", "process.env"]);
        let taint = Taint { environment: whole, ..of.taint.clone() };
        let text = of.text.clone().filter(|_| is_kept(name));
        Value { path, taint, hidden: of.hidden || hidden, text, ..of }
    }

    /// One variable of the environment.
    fn environment(&mut self, path: &str, name: &str) -> Option<Value> {
        if !is(path, &["os.environ", "process.env"])
            || matches!(name, "get" | "items" | "copy" | "keys" | "values" | "update")
        {
            return None;
        }
        Some(self.variable(name))
    }

    /// One variable by its name.
    pub fn variable(&mut self, name: &str) -> Value {
        if self.source.setting == Setting::Script {
            self.scan.needs.variable(name, self.source.path, self.source.line);
        }
        let secret = secrets::is_secret_name(name).then(|| name.to_owned());
        let mut value = Value::of_taint(Taint { secret, ..Taint::default() });
        if matches!(name, "HOME" | "USERPROFILE") {
            value.text = Some("~".to_owned());
        }
        value
    }

    fn index(&mut self, of: &Expression, index: &Expression) -> Value {
        let is_plain = matches!(index, Expression::Text(_));
        let (of, key) = (self.value(of), self.value(index));
        if let (Expression::Number(number), false) = (index, of.items().is_empty()) {
            let item = usize::try_from(*number).ok().and_then(|at| of.items().get(at));
            if let Some(item) = item {
                return item.clone();
            }
        }
        match key.text {
            Some(name) if !of.path.is_empty() => {
                let picked = Value { taint: of.taint.clone().picked(), ..of };
                self.member(picked, &name, !is_plain)
            }
            _ => Value { taint: of.taint.picked(), ..Value::default() },
        }
    }

    fn group(&mut self, entries: &[(Option<String>, Expression)]) -> Value {
        let mut out = Value::default();
        let mut items = Vec::new();
        for (key, value) in entries {
            let value = self.value(value);
            let is_header = key.as_deref().is_some_and(is_header);
            // A credential that a request shows to prove itself is one secret, not a file that is sent.
            out.taint.merge(&if is_header { value.taint.clone().picked() } else { value.taint.clone() });
            if items.len() < MAX_ITEMS {
                items.push(value);
            }
        }
        out.with_items(items)
    }

    fn call(&mut self, call: &Call) -> Value {
        let callee = self.value(&call.callee);
        let mut keywords = Vec::new();
        let mut arguments = Vec::new();
        let mut callbacks = Vec::new();
        for (keyword, argument) in &call.arguments {
            if let Expression::Function(parameters, body) = argument {
                callbacks.push((parameters, body));
                continue;
            }
            let value = self.value(argument);
            match keyword {
                Some(keyword) => keywords.push((keyword.clone(), value)),
                None => arguments.push(value),
            }
        }
        self.bind(&callee.path, &arguments);
        let result = self.result(&callee, &arguments, &keywords, call);
        rules::check(
            self,
            &rules::Called { callee: &callee, arguments: &arguments, keywords: &keywords, call },
        );
        let mut result = result;
        for (parameters, body) in callbacks {
            let found = self.callback(parameters, body, &callee, &result);
            result.taint.merge(&found.taint);
        }
        result
    }

    /// A function that is handed over is called with what the callee has.
    fn callback(
        &mut self,
        parameters: &[String],
        body: &[Statement],
        callee: &Value,
        result: &Value,
    ) -> Value {
        if !callee.items().is_empty() {
            return self.each(parameters, callee, body);
        }
        let mut taint = callee.taint.clone();
        taint.merge(&result.taint);
        for parameter in parameters {
            self.names.insert(
                parameter.clone(),
                Value { path: result.path.clone(), ..Value::of_taint(taint.clone()) },
            );
        }
        self.all(body)
    }

    /// Remembers what a function of the program is called with.
    fn bind(&mut self, path: &str, arguments: &[Value]) {
        if let Some(parameters) = self.parameters.get_mut(path) {
            for ((_, taint), argument) in parameters.iter_mut().zip(arguments) {
                taint.merge(&argument.taint);
            }
        }
    }
}

/// Names of entries that prove who asks.
pub fn is_header(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    [
        "headers",
        "authorization",
        "auth",
        "cookies",
        "cookie",
        "cert",
        "x-api-key",
        "apikey",
        "api_key",
        "token",
        "verify",
    ]
    .contains(&key.as_str())
}

/// Methods that leave the text as it is when they are named.
fn is_kept(name: &str) -> bool {
    known::TRANSPARENT_METHODS.contains(&name)
        || matches!(name, "join" | "format" | "replace" | "split" | "home")
}
