//! What a caller may give, and what they are told.

use super::*;
use expect_test::{Expect, expect};
use guild_manifest::skill::{self, Profile, Source};
use serde_json::json;

fn declared(params: &str) -> Params {
    let text = format!("---\nname: x\ndescription: x\nscript: run.sh\nparams:\n{params}\n---\nbody\n");
    let reading = skill::read(&Source::new("SKILL.md", "x", text.as_bytes()), Profile::Lenient);
    reading.skill.expect("a skill").contract.expect("a contract").params.expect("parameters")
}

fn told(params: &str, given: &Given) -> String {
    match resolve(Some(&declared(params)), given) {
        Ok(values) => Value::Object(values).to_string(),
        Err(errors) => {
            let lines: Vec<String> =
                errors.iter().map(|error| format!("{}: {}", error.path, error.message)).collect();
            lines.join("\n")
        }
    }
}

#[track_caller]
fn check(params: &str, values: Value, expected: &Expect) {
    let Value::Object(values) = values else { panic!("an object") };
    expected.assert_eq(&told(params, &Given { values, texts: Vec::new() }));
}

#[track_caller]
fn check_texts(params: &str, texts: &[(&str, &str)], expected: &Expect) {
    let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    expected.assert_eq(&told(params, &Given { values: Map::new(), texts }));
}

#[test]
fn a_boolean_is_no_integer_and_null_is_no_value_of_a_known_type() {
    let kinds = ["string", "integer", "number", "boolean", "array", "object"];
    let values = [json!("a"), json!(1), json!(1.0), json!(true), json!(null), json!([]), json!({})];
    let mut matrix = String::new();
    for kind in kinds {
        let fits: Vec<String> = values
            .iter()
            .filter(|value| {
                !told(
                    &format!("  p: {kind}"),
                    &Given {
                        values: Map::from_iter([("p".to_owned(), (*value).clone())]),
                        texts: Vec::new(),
                    },
                )
                .contains("expected type")
            })
            .map(Value::to_string)
            .collect();
        matrix.push_str(&format!("{kind}: {}\n", fits.join(" ")));
    }
    expect![[r#"
        string: "a"
        integer: 1
        number: 1 1.0
        boolean: true
        array: []
        object: {}
    "#]]
    .assert_eq(&matrix);
}

#[test]
fn everything_wrong_is_told_at_once_required_first() {
    check(
        "  a: {type: string, required: true}\n  b: {type: integer, minimum: 1}\n  c: {type: integer}\n  d: {type: string, enum: [x, y]}\n  e: {type: array, items: {type: string}}",
        json!({"b": 0, "c": "five", "d": "z", "e": ["a", 1]}),
        &expect![[r#"
            /a: missing required param `a`
            /c: param `c` expected type integer, got string
            /b: param `b`: value is less than the minimum of 1
            /d: param `d`: value is not one of "x" or "y"
            /e/1: param `e`: value is not of type "string""#]],
    );
}

#[test]
fn what_is_not_declared_passes_unless_that_is_closed() {
    check("  a: string", json!({"a": "x", "other": [1]}), &expect![[r#"{"a":"x","other":[1]}"#]]);
    check(
        "  type: object\n  properties: {a: {type: string}}\n  additionalProperties: false",
        json!({"other": 1}),
        &expect![": Additional properties are not allowed ('other' was unexpected)"],
    );
}

#[test]
fn an_unknown_type_takes_anything() {
    check("  a: {type: color}", json!({"a": null}), &expect![[r#"{"a":null}"#]]);
}

#[test]
fn defaults_are_filled_in() {
    check("  n: {type: integer, default: 5}\n  s: string", json!({}), &expect![[r#"{"n":5}"#]]);
}

#[test]
fn values_stand_in_the_order_of_the_declaration_and_then_of_the_call() {
    check_texts(
        "  z: string\n  d: {type: integer, default: 5}\n  a: string",
        &[("y", "3"), ("a", "2"), ("x", "4"), ("z", "1")],
        &expect![[r#"{"z":"1","d":5,"a":"2","y":"3","x":"4"}"#]],
    );
}

#[test]
fn texts_get_their_type_from_the_declaration() {
    let params = "  s: string\n  i: integer\n  n: number\n  b: boolean\n  l: {type: array, items: {type: integer}}\n  o: object";
    check_texts(
        params,
        &[
            ("s", "1"),
            ("i", "-7"),
            ("n", "1.50"),
            ("b", "Yes"),
            ("l", "[1,2]"),
            ("o", "{\"k\":1}"),
            ("free", "1"),
        ],
        &expect![[r#"{"s":"1","i":-7,"n":1.5,"b":true,"l":[1,2],"o":{"k":1},"free":"1"}"#]],
    );
    check_texts(params, &[("l", "1"), ("l", "2")], &expect![[r#"{"l":[1,2]}"#]]);
    check_texts(
        params,
        &[("i", "five"), ("n", "1,5"), ("b", "2"), ("o", "[]"), ("l", "x")],
        &expect![[r#"
            /i: param `i` expected type integer, got string
            /n: param `n` expected type number, got string
            /b: param `b` expected type boolean, got string
            /o: param `o` expected type object, got string
            /l: param `l` expected type integer, got string"#]],
    );
    check_texts("  s: {type: string, required: true}", &[("s", "")], &expect![[r#"{"s":""}"#]]);
}

/// Where no schema is compiled, none would have found anything.
#[test]
fn what_declares_no_rules_breaks_none() {
    let values = [json!("a"), json!(1), json!(1.0), json!(true), json!([1]), json!({"a": 1})];
    for kind in ["string", "integer", "number", "boolean", "array", "object", "strange"] {
        for rest in ["", ", required: true", ", format: path", ", format: password", ", description: d"] {
            let declared = declared(&format!("  p: {{type: {kind}{rest}}}"));
            let fitting = values.iter().filter(|value| mismatch(kind, value).is_none());
            for value in fitting {
                let values = Map::from_iter([("p".to_owned(), value.clone()), ("q".to_owned(), json!(1))]);
                assert!(!has_rules(&declared, &values));
                assert_eq!(broken_rules(&declared, &values, &[]), [], "{kind}{rest} {value}");
            }
        }
    }
}

#[test]
fn a_default_of_another_type_is_told() {
    check(
        "  p: {type: integer, default: many}",
        json!({}),
        &expect![[r#"/p: param `p`: value is not of type "integer""#]],
    );
}
