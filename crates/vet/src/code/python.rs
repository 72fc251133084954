//! Python, lowered to the small form.

use super::expression::{Expression, Lowering, Statement, unquoted};
use crate::syntax::{children, named};
use tree_sitter::Node;

/// Lowers a module.
pub fn lower(root: Node<'_>, lowering: &mut Lowering<'_>) -> Vec<Statement> {
    let mut out = Vec::new();
    statements(root, lowering, &mut out);
    out
}

fn statements(node: Node<'_>, lowering: &mut Lowering<'_>, out: &mut Vec<Statement>) {
    lowering.deeper(|lowering| statement(node, lowering, out));
}

fn statement(node: Node<'_>, lowering: &mut Lowering<'_>, out: &mut Vec<Statement>) {
    match node.kind() {
        "import_statement" => imports(node, "", lowering, out),
        "import_from_statement" => {
            let module =
                node.child_by_field_name("module_name").map_or("", |name| lowering.text(name)).to_owned();
            imports(node, &module, lowering, out);
        }
        "function_definition" => {
            let name = node.child_by_field_name("name").map_or("", |name| lowering.text(name)).to_owned();
            let parameters = parameters(node, lowering);
            let mut body = Vec::new();
            node.child_by_field_name("body").iter().for_each(|node| statements(*node, lowering, &mut body));
            out.push(Statement::Define(name, parameters, body));
        }
        "return_statement" => {
            let value = named(node).first().map(|value| expression(*value, lowering));
            out.extend(value.map(Statement::Return));
        }
        "for_statement" => {
            let targets =
                node.child_by_field_name("left").map(|left| names(left, lowering)).unwrap_or_default();
            let list = node.child_by_field_name("right").map(|list| expression(list, lowering));
            let mut body = Vec::new();
            node.child_by_field_name("body").iter().for_each(|node| statements(*node, lowering, &mut body));
            out.extend(list.map(|list| Statement::Each(targets, list, body)));
        }
        "assignment" => assign(node, false, lowering, out),
        "augmented_assignment" => assign(node, true, lowering, out),
        "with_item" => with_item(node, lowering, out),
        "comment" => {}
        kind if is_container(kind) => {
            named(node).into_iter().for_each(|child| statements(child, lowering, out));
        }
        _ => {
            let value = expression(node, lowering);
            out.push(Statement::Evaluate(value));
        }
    }
}

fn is_container(kind: &str) -> bool {
    kind.ends_with("_statement")
        || kind.ends_with("_clause")
        || matches!(
            kind,
            "module" | "block" | "class_definition" | "decorated_definition" | "ERROR" | "case_clause"
        )
}

fn imports(node: Node<'_>, module: &str, lowering: &Lowering<'_>, out: &mut Vec<Statement>) {
    let mut cursor = node.walk();
    for child in node.children_by_field_name("name", &mut cursor) {
        let (path, alias) = match child.kind() {
            "aliased_import" => (
                child.child_by_field_name("name").map_or("", |name| lowering.text(name)),
                child.child_by_field_name("alias").map(|alias| lowering.text(alias)),
            ),
            _ => (lowering.text(child), None),
        };
        let whole = if module.is_empty() { path.to_owned() } else { format!("{module}.{path}") };
        let (name, path) = match alias {
            Some(alias) => (alias.to_owned(), whole),
            // `import a.b` binds `a`.
            None if module.is_empty() => {
                let first = path.split('.').next().unwrap_or_default().to_owned();
                (first.clone(), first)
            }
            None => (path.to_owned(), whole),
        };
        out.push(Statement::Import(name, path));
    }
}

fn assign(node: Node<'_>, adds: bool, lowering: &mut Lowering<'_>, out: &mut Vec<Statement>) {
    let Some(value) = node.child_by_field_name("right") else { return };
    let value = expression(value, lowering);
    let left = node.child_by_field_name("left");
    let targets = left.map(|left| names(left, lowering)).unwrap_or_default();
    // `d[k] = f(x)` must still be looked at.
    out.push(Statement::Assign(targets, value, adds));
}

/// The names that an assignment's left side binds.
fn names(node: Node<'_>, lowering: &Lowering<'_>) -> Vec<String> {
    match node.kind() {
        "identifier" => vec![lowering.text(node).to_owned()],
        "attribute" => vec![lowering.text(node).to_owned()],
        "subscript" => {
            node.child_by_field_name("value").map(|value| names(value, lowering)).unwrap_or_default()
        }
        "pattern_list" | "tuple_pattern" | "list_pattern" | "as_pattern_target" => {
            named(node).into_iter().flat_map(|child| names(child, lowering)).collect()
        }
        _ => Vec::new(),
    }
}

fn with_item(node: Node<'_>, lowering: &mut Lowering<'_>, out: &mut Vec<Statement>) {
    for child in named(node) {
        if child.kind() != "as_pattern" {
            let value = expression(child, lowering);
            out.push(Statement::Evaluate(value));
            continue;
        }
        let parts = named(child);
        let value = parts.first().map(|value| expression(*value, lowering));
        let targets = parts.get(1).map(|target| names(*target, lowering)).unwrap_or_default();
        out.extend(value.map(|value| Statement::Assign(targets, value, false)));
    }
}

fn parameters(node: Node<'_>, lowering: &Lowering<'_>) -> Vec<String> {
    let Some(list) = node.child_by_field_name("parameters") else { return Vec::new() };
    let name = |node: Node<'_>| match node.kind() {
        "identifier" => lowering.text(node).to_owned(),
        _ => named(node).first().map_or("", |name| lowering.text(*name)).to_owned(),
    };
    named(list).into_iter().map(name).collect()
}

fn expression(node: Node<'_>, lowering: &mut Lowering<'_>) -> Expression {
    lowering.deeper(|lowering| lowered(node, lowering)).unwrap_or(Expression::Group(Vec::new()))
}

fn lowered(node: Node<'_>, lowering: &mut Lowering<'_>) -> Expression {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" => Expression::Name(lowering.text(node).to_owned()),
        "integer" => Expression::Number(number(lowering.text(node))),
        "string" => string(node, lowering),
        "concatenated_string" => {
            Expression::Join(named(node).into_iter().map(|part| expression(part, lowering)).collect(), "")
        }
        "attribute" => {
            let object = field("object").map(|object| expression(object, lowering));
            let name = field("attribute").map_or("", |name| lowering.text(name)).to_owned();
            Expression::Member(Box::new(object.unwrap_or(Expression::Group(Vec::new()))), name)
        }
        "subscript" => subscript(node, lowering),
        "call" => {
            let callee = field("function").map(|callee| expression(callee, lowering));
            let arguments = field("arguments").map(|list| arguments(list, lowering)).unwrap_or_default();
            lowering.call(node, callee.unwrap_or(Expression::Group(Vec::new())), arguments)
        }
        "binary_operator" => {
            let operator = field("operator").map_or("", |operator| lowering.text(operator));
            let between = if operator == "/" { "/" } else { "" };
            let sides: Vec<Expression> = [field("left"), field("right")]
                .into_iter()
                .flatten()
                .map(|side| expression(side, lowering))
                .collect();
            if matches!(operator, "+" | "/" | "%") { Expression::Join(sides, between) } else { group(sides) }
        }
        "dictionary" => {
            Expression::Group(named(node).into_iter().map(|pair| entry(pair, lowering)).collect())
        }
        "lambda" => {
            let parameters = parameters(node, lowering);
            let body = field("body").map(|body| Statement::Return(expression(body, lowering)));
            Expression::Function(parameters, body.into_iter().collect())
        }
        "comment" | "string_start" | "string_end" => Expression::Group(Vec::new()),
        _ => group(named(node).into_iter().map(|child| expression(child, lowering)).collect()),
    }
}

fn group(mut values: Vec<Expression>) -> Expression {
    if values.len() == 1 {
        return values.pop().unwrap_or(Expression::Number(0));
    }
    Expression::Group(values.into_iter().map(|value| (None, value)).collect())
}

fn entry(node: Node<'_>, lowering: &mut Lowering<'_>) -> (Option<String>, Expression) {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value"))
    else {
        return (None, expression(node, lowering));
    };
    (Some(lowering.text(key).trim_matches(['"', '\'']).to_owned()), expression(value, lowering))
}

fn subscript(node: Node<'_>, lowering: &mut Lowering<'_>) -> Expression {
    let empty = || Expression::Group(Vec::new());
    let value =
        node.child_by_field_name("value").map(|value| expression(value, lowering)).unwrap_or_else(empty);
    match node.child_by_field_name("subscript") {
        Some(slice) if slice.kind() == "slice" => match lowering.text(slice).replace(' ', "").as_str() {
            "::-1" => Expression::Reversed(Box::new(value)),
            _ => value,
        },
        Some(index) => Expression::Index(Box::new(value), Box::new(expression(index, lowering))),
        None => value,
    }
}

fn arguments(list: Node<'_>, lowering: &mut Lowering<'_>) -> Vec<(Option<String>, Expression)> {
    let argument = |node: Node<'_>, lowering: &mut Lowering<'_>| match node.kind() {
        "keyword_argument" => {
            let name = node.child_by_field_name("name").map(|name| lowering.text(name).to_owned());
            let value = node.child_by_field_name("value").map(|value| expression(value, lowering));
            (name, value.unwrap_or(Expression::Group(Vec::new())))
        }
        _ => (None, expression(node, lowering)),
    };
    if list.kind() != "argument_list" {
        return vec![argument(list, lowering)];
    }
    named(list)
        .into_iter()
        .filter(|node| node.kind() != "comment")
        .map(|node| argument(node, lowering))
        .collect()
}

fn string(node: Node<'_>, lowering: &mut Lowering<'_>) -> Expression {
    let start = children(node).first().map_or("", |start| lowering.text(*start)).to_ascii_lowercase();
    let raw = start.contains('r');
    let mut parts = Vec::new();
    for child in named(node) {
        match child.kind() {
            "string_content" => parts.push(Expression::Text(unquoted(lowering.text(child), raw))),
            "interpolation" => {
                let value = named(child).first().map(|value| expression(*value, lowering));
                parts.extend(value);
            }
            _ => {}
        }
    }
    match parts.len() {
        0 => Expression::Text(String::new()),
        1 => parts.pop().unwrap_or(Expression::Text(String::new())),
        _ => Expression::Join(parts, ""),
    }
}

fn number(text: &str) -> i64 {
    let text = text.replace('_', "");
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    hex.map_or_else(|| text.parse(), |hex| i64::from_str_radix(hex, 16)).unwrap_or_default()
}
