//! JavaScript, lowered to the small form; TypeScript as far as it reads like it.

use super::expression::{Expression, Lowering, Statement, unquoted};
use crate::syntax::{children, named};
use tree_sitter::Node;

/// Lowers a program.
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
        "import_statement" => imports(node, lowering, out),
        "variable_declarator" => {
            let name = node.child_by_field_name("name");
            let value = node.child_by_field_name("value").map(|value| expression(value, lowering));
            if let (Some(name), Some(value)) = (name, value) {
                bind(name, value, false, lowering, out);
            }
        }
        "function_declaration" | "generator_function_declaration" | "method_definition" => {
            let name = node.child_by_field_name("name").map_or("", |name| lowering.text(name)).to_owned();
            let (parameters, body) = function(node, lowering);
            out.push(Statement::Define(name, parameters, body));
        }
        "return_statement" => {
            let value = named(node).first().map(|value| expression(*value, lowering));
            out.extend(value.map(Statement::Return));
        }
        "for_in_statement" => {
            let list = node.child_by_field_name("right").map(|list| expression(list, lowering));
            let name = node.child_by_field_name("left").map_or("", |left| lowering.text(left)).to_owned();
            let mut body = Vec::new();
            node.child_by_field_name("body").iter().for_each(|node| statements(*node, lowering, &mut body));
            out.extend(list.map(|list| Statement::Each(vec![name], list, body)));
        }
        "assignment_expression" | "augmented_assignment_expression" => assignment(node, lowering, out),
        "expression_statement" => named(node).into_iter().for_each(|child| statements(child, lowering, out)),
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
        || kind.ends_with("_declaration")
        || matches!(
            kind,
            "program"
                | "statement_block"
                | "class_body"
                | "switch_body"
                | "switch_case"
                | "switch_default"
                | "ERROR"
        )
}

fn assignment(node: Node<'_>, lowering: &mut Lowering<'_>, out: &mut Vec<Statement>) {
    let adds = node.kind().starts_with("augmented");
    let value = node.child_by_field_name("right").map(|value| expression(value, lowering));
    if let (Some(left), Some(value)) = (node.child_by_field_name("left"), value) {
        bind(left, value, adds, lowering, out);
    }
}

/// Binds a name, or the names of a pattern to members of the value.
fn bind(target: Node<'_>, value: Expression, adds: bool, lowering: &Lowering<'_>, out: &mut Vec<Statement>) {
    match target.kind() {
        "object_pattern" => {
            for part in named(target) {
                let (key, name) = match part.kind() {
                    "pair_pattern" => (part.child_by_field_name("key"), part.child_by_field_name("value")),
                    _ => (Some(part), Some(part)),
                };
                if let (Some(key), Some(name)) = (key, name) {
                    let member = Expression::Member(Box::new(value.clone()), lowering.text(key).to_owned());
                    out.push(Statement::Assign(vec![lowering.text(name).to_owned()], member, adds));
                }
            }
        }
        "array_pattern" => {
            let names = named(target).into_iter().map(|name| lowering.text(name).to_owned()).collect();
            out.push(Statement::Assign(names, value, adds));
        }
        _ => out.push(Statement::Assign(vec![lowering.text(target).to_owned()], value, adds)),
    }
}

fn imports(node: Node<'_>, lowering: &Lowering<'_>, out: &mut Vec<Statement>) {
    let Some(source) = node.child_by_field_name("source") else { return };
    let module = module_name(lowering.text(source).trim_matches(['"', '\'']));
    let mut pending: Vec<Node<'_>> = named(node);
    while let Some(part) = pending.pop() {
        match part.kind() {
            "import_clause" | "named_imports" => pending.extend(named(part)),
            "identifier" => out.push(Statement::Import(lowering.text(part).to_owned(), module.clone())),
            "namespace_import" => {
                let name = named(part).first().map_or("", |name| lowering.text(*name)).to_owned();
                out.push(Statement::Import(name, module.clone()));
            }
            "import_specifier" => {
                let name = part.child_by_field_name("name").map_or("", |name| lowering.text(name));
                let alias = part.child_by_field_name("alias").map_or(name, |alias| lowering.text(alias));
                out.push(Statement::Import(alias.to_owned(), format!("{module}.{name}")));
            }
            _ => {}
        }
    }
}

/// A module's name without its scheme.
pub fn module_name(name: &str) -> String {
    name.strip_prefix("node:").unwrap_or(name).to_owned()
}

fn function(node: Node<'_>, lowering: &mut Lowering<'_>) -> (Vec<String>, Vec<Statement>) {
    let parameters = match (node.child_by_field_name("parameters"), node.child_by_field_name("parameter")) {
        (Some(list), _) => named(list).into_iter().map(|name| lowering.text(name).to_owned()).collect(),
        (None, Some(one)) => vec![lowering.text(one).to_owned()],
        (None, None) => Vec::new(),
    };
    let mut body = Vec::new();
    match node.child_by_field_name("body") {
        Some(block) if block.kind() == "statement_block" => statements(block, lowering, &mut body),
        Some(value) if value.kind() == "assignment_expression" || value.kind().starts_with("augmented") => {
            statements(value, lowering, &mut body);
        }
        Some(value) => {
            let value = expression(value, lowering);
            body.push(Statement::Return(value));
        }
        None => {}
    }
    (parameters, body)
}

fn expression(node: Node<'_>, lowering: &mut Lowering<'_>) -> Expression {
    lowering.deeper(|lowering| lowered(node, lowering)).unwrap_or(Expression::Group(Vec::new()))
}

fn lowered(node: Node<'_>, lowering: &mut Lowering<'_>) -> Expression {
    let field = |name: &str| node.child_by_field_name(name);
    let empty = || Expression::Group(Vec::new());
    match node.kind() {
        "identifier" | "property_identifier" | "shorthand_property_identifier" | "this" => {
            Expression::Name(lowering.text(node).to_owned())
        }
        "number" => Expression::Number(lowering.text(node).parse().unwrap_or_default()),
        "string" => Expression::Text(string(node, lowering)),
        "template_string" => template(node, lowering),
        "member_expression" => {
            let object = field("object").map(|object| expression(object, lowering)).unwrap_or_else(empty);
            let name = field("property").map_or("", |name| lowering.text(name)).to_owned();
            Expression::Member(Box::new(object), name)
        }
        "subscript_expression" => {
            let object = field("object").map(|object| expression(object, lowering)).unwrap_or_else(empty);
            let index = field("index").map(|index| expression(index, lowering)).unwrap_or_else(empty);
            Expression::Index(Box::new(object), Box::new(index))
        }
        "call_expression" | "new_expression" => {
            let callee = field("function").or_else(|| field("constructor"));
            let callee = callee.map(|callee| expression(callee, lowering)).unwrap_or_else(empty);
            let arguments = field("arguments").map(|list| arguments(list, lowering)).unwrap_or_default();
            lowering.call(node, callee, arguments)
        }
        "binary_expression" => {
            let operator = field("operator").map_or("", |operator| lowering.text(operator));
            let sides: Vec<Expression> = [field("left"), field("right")]
                .into_iter()
                .flatten()
                .map(|side| expression(side, lowering))
                .collect();
            if operator == "+" { Expression::Join(sides, "") } else { group(sides) }
        }
        "object" => Expression::Group(named(node).into_iter().map(|pair| entry(pair, lowering)).collect()),
        "arrow_function" | "function_expression" | "function" | "generator_function" => {
            let (parameters, body) = function(node, lowering);
            Expression::Function(parameters, body)
        }
        "comment" => empty(),
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
    match (node.child_by_field_name("key"), node.child_by_field_name("value")) {
        (Some(key), Some(value)) => {
            (Some(lowering.text(key).trim_matches(['"', '\'']).to_owned()), expression(value, lowering))
        }
        _ => (Some(lowering.text(node).to_owned()), expression(node, lowering)),
    }
}

fn arguments(list: Node<'_>, lowering: &mut Lowering<'_>) -> Vec<(Option<String>, Expression)> {
    if list.kind() != "arguments" {
        return vec![(None, expression(list, lowering))];
    }
    let nodes = named(list).into_iter().filter(|node| node.kind() != "comment");
    nodes.map(|node| (None, expression(node, lowering))).collect()
}

fn string(node: Node<'_>, lowering: &Lowering<'_>) -> String {
    let whole = lowering.text(node);
    let quote = children(node).first().map_or("", |quote| lowering.text(*quote));
    let inner = whole.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)).unwrap_or(whole);
    unquoted(inner, false)
}

fn template(node: Node<'_>, lowering: &mut Lowering<'_>) -> Expression {
    let mut parts = Vec::new();
    let mut at = node.start_byte() + 1;
    for child in named(node) {
        let gap = lowering.text.get(at..child.start_byte()).unwrap_or_default();
        parts.push(Expression::Text(unquoted(gap, false)));
        at = child.end_byte();
        match child.kind() {
            "template_substitution" => {
                let value = named(child).first().map(|value| expression(*value, lowering));
                parts.extend(value);
            }
            _ => parts.push(Expression::Text(unquoted(lowering.text(child), false))),
        }
    }
    let end = node.end_byte().saturating_sub(1).max(at);
    parts.push(Expression::Text(unquoted(lowering.text.get(at..end).unwrap_or_default(), false)));
    Expression::Join(parts, "")
}
