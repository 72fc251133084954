//! The value of calls: what can be computed is, and what cannot keeps the origin of what went in.

use super::evaluate::{Program, is_header};
use super::expression::{Call, Expression};
use super::javascript::module_name;
use super::known::{self, is};
use super::value::Value;
use crate::codes::Code;
use crate::flow::Taint;
use crate::{decode, places};

impl Program<'_, '_> {
    /// The value of a call.
    pub fn result(
        &mut self,
        callee: &Value,
        arguments: &[Value],
        keywords: &[(String, Value)],
        call: &Call,
    ) -> Value {
        let path = callee.path.as_str();
        if let Some(returned) = self.returned.get(path) {
            return returned.clone();
        }
        let last = path.rsplit('.').next().unwrap_or_default();
        if let Some(taint) = self.scan.programs.returns.get(last) {
            return Value { path: format!("{path}()"), ..Value::of_taint(taint.clone()) };
        }
        if let Some(value) = self.computed(callee, arguments, call) {
            return value;
        }
        let mut taint = callee.taint.clone();
        arguments.iter().for_each(|argument| taint.merge(&argument.taint));
        keywords.iter().for_each(|(key, value)| {
            let value = if is_header(key) { value.taint.clone().picked() } else { value.taint.clone() };
            taint.merge(&value);
        });
        let first = arguments.first();
        if known::is_network(path) {
            let url = first.and_then(|url| url.text.clone()).unwrap_or_else(|| "$".to_owned());
            taint = Taint { download: Some(url), ..taint };
        }
        if (is(path, known::READERS) || path.ends_with(".read_text") || path.ends_with(".read_bytes"))
            && let Some(file) =
                first.or(Some(callee)).map(Value::text).filter(|file| places::is_credential(file))
        {
            taint.credential = Some(file.to_owned());
            self.scan.report(self.source, call.row, Code::CredentialRead, self.evidence(call));
        }
        if path.ends_with(".get") || path.starts_with("re.") || path.ends_with(".match") {
            taint = taint.picked();
        }
        Value { path: format!("{path}()"), taint, ..Value::default() }
    }

    /// Calls whose value can be computed.
    fn computed(&mut self, callee: &Value, arguments: &[Value], call: &Call) -> Option<Value> {
        let path = callee.path.as_str();
        let first = arguments.first();
        let is_literal = |at: usize| matches!(call.arguments.get(at), Some((_, Expression::Text(_))));
        let method = path.rsplit('.').next().unwrap_or_default();
        match path {
            "getattr" => {
                let name = arguments.get(1).and_then(|name| name.text.clone())?;
                return Some(self.member(first?.clone(), &name, !is_literal(1)));
            }
            "__import__" | "importlib.import_module" | "require" | "import" => {
                let module = module_name(first?.text.as_deref()?);
                return Some(Value { hidden: !is_literal(0), ..Value::of_path(module) });
            }
            "os.getenv" | "os.environ.get" => return Some(self.variable(first?.text.as_deref()?)),
            "chr" | "String.fromCharCode" | "String.fromCodePoint" => return characters(arguments),
            "os.homedir" => return Some(Value::of_text("~".to_owned())),
            _ => {}
        }
        if is(path, known::HOMES) {
            return Some(Value::of_text("~".to_owned()));
        }
        if is(path, known::PATH_JOINS) {
            return Some(Value { path: String::new(), ..Value::joined(arguments, "/") });
        }
        if is(path, known::DECODERS) || path == "Buffer.from" && is_encoding(arguments.get(1)) {
            return Some(decoded(first?));
        }
        if is(path, known::TRANSPARENT) && !(is(path, known::READERS) && places::is_credential(first?.text()))
        {
            return Some(Value { path: format!("{path}()"), ..first?.clone() });
        }
        if method == "join" {
            let (list, between) =
                if first?.items().is_empty() { (callee, first?.text()) } else { (first?, callee.text()) };
            return (!list.items().is_empty()).then(|| Value::joined(list.items(), between));
        }
        let reads_credential = method.starts_with("read") && places::is_credential(callee.text());
        (known::TRANSPARENT_METHODS.contains(&method) && arguments.len() <= 1 && !reads_credential)
            .then(|| Value { path: format!("{path}()"), ..callee.clone() })
    }
}

fn is_encoding(value: Option<&Value>) -> bool {
    value.is_some_and(|value| matches!(value.text(), "base64" | "hex" | "base64url"))
}

/// The text of code points.
fn characters(arguments: &[Value]) -> Option<Value> {
    let one = |value: &Value| char::from_u32(value.path.parse().ok()?);
    arguments.iter().map(one).collect::<Option<String>>().map(Value::of_text)
}

/// A decoder's result: marked, and with its text where that can be read.
fn decoded(value: &Value) -> Value {
    let bytes = decode::hex(value.text()).or_else(|| decode::base64(value.text()));
    let text = bytes.as_deref().and_then(decode::readable);
    let taint = Taint { decoded: true, ..value.taint.clone() };
    Value { text, taint, ..Value::default() }
}
