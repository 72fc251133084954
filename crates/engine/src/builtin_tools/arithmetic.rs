//! `add`, `subtract` and `multiply`: two numbers, by name or as one text such as `2 + 2`.

use serde_json::{Map, Number, Value, json};

use super::Builtin;
use crate::ports::{ToolError, ToolResult};

pub(super) const ADD: Builtin = Builtin {
    name: "add",
    description: "Add two numbers",
    input,
    output,
    run: |_, input| calculate(input, '+', |a, b| a + b),
};

pub(super) const SUBTRACT: Builtin = Builtin {
    name: "subtract",
    description: "Subtract one number from another",
    input,
    output,
    run: |_, input| calculate(input, '-', |a, b| a - b),
};

pub(super) const MULTIPLY: Builtin = Builtin {
    name: "multiply",
    description: "Multiply two numbers",
    input,
    output,
    run: |_, input| calculate(input, '*', |a, b| a * b),
};

fn input() -> Value {
    json!({
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}, "text": {"type": "string"}},
        "anyOf": [{"required": ["a", "b"]}, {"required": ["text"]}],
    })
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {"value": {"type": "number"}, "display": {"type": "string"}},
        "required": ["value", "display"],
        "additionalProperties": false,
    })
}

fn calculate(
    input: &Map<String, Value>,
    sign: char,
    operation: fn(f64, f64) -> f64,
) -> Result<ToolResult, ToolError> {
    let number = |name: &str| input.get(name).and_then(Value::as_f64);
    let operands = number("a").zip(number("b"));
    let text = input.get("text").and_then(Value::as_str);
    let (a, b) = operands.or_else(|| parse(text?, sign)).ok_or_else(|| {
        ToolError::Input(format!("write two numbers with `{sign}` between them, such as `6 {sign} 7`"))
    })?;
    let value = operation(a, b);
    let number = Number::from_f64(value)
        .ok_or_else(|| ToolError::Input("the result is too large to be written".to_owned()))?;
    // A whole number is shown as one.
    let display = format!("{value}");
    Ok(ToolResult::new(display.clone(), json!({"value": number, "display": display})))
}

/// `NUMBER SIGN NUMBER`, where a number is digits with at most one fraction and a minus before them.
fn parse(text: &str, sign: char) -> Option<(f64, f64)> {
    let text = text.trim();
    let begin = text.char_indices().skip(1);
    let mut signs = begin.filter(|(_, c)| *c == sign).map(|(at, _)| at);
    signs.find_map(|at| {
        let (a, rest) = text.split_at_checked(at)?;
        Some((number(a)?, number(rest.strip_prefix(sign)?)?))
    })
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(whole) && is_number(fraction)).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tool: &Builtin, text: &str, expected: &str) {
        let operation: fn(f64, f64) -> f64 = match tool.name {
            "add" => |a, b| a + b,
            "subtract" => |a, b| a - b,
            _ => |a, b| a * b,
        };
        let sign = match tool.name {
            "add" => '+',
            "subtract" => '-',
            _ => '*',
        };
        let Value::Object(input) = json!({"text": text}) else { panic!("an object") };
        let told =
            calculate(&input, sign, operation).map_or_else(|error| error.to_string(), |result| result.text());
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn whole_results_are_shown_whole() {
        check(&ADD, "20+42", "62");
        check(&ADD, "2+2", "4");
        check(&SUBTRACT, "50-8", "42");
        check(&SUBTRACT, "-3 - -4", "1");
        check(&MULTIPLY, " 6 * 7 ", "42");
        check(&ADD, "0.5+0.25", "0.75");
    }

    #[test]
    fn what_is_no_sum_is_refused() {
        for text in ["", "2", "2+", "+2", "2 - 2", "1e5+1", "2+2+2", "inf+1", "2.+1"] {
            check(&ADD, text, "write two numbers with `+` between them, such as `6 + 7`");
        }
    }
}
