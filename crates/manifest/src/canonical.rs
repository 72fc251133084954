//! Canonical JSON: one value, one text, so that it can be hashed and signed.
//!
//! It follows RFC 8785: no blanks, keys sorted by UTF-16 code units, the fewest escapes, fractions as ECMAScript writes
//! them. It departs in one point: an integer keeps all its digits instead of becoming a double, since a record
//! that rounds is no record. A text that somebody else wrote is canonical if parsing and writing it gives it back.

use serde::Serialize;
use serde_json::{Map, Number, Value};
use std::fmt::Write;

/// The canonical text of anything that serialises to JSON.
///
/// # Errors
/// Where the value has no form in JSON, such as a map whose keys are no text.
pub fn to_string(value: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(text_of(&serde_json::to_value(value)?))
}

/// The canonical text of a JSON value.
pub fn text_of(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// The value of `text` if it is canonical; nothing if it is written otherwise or is no JSON.
pub fn parse(text: &str) -> Option<Value> {
    let value = serde_json::from_str(text).ok()?;
    (text_of(&value) == text).then_some(value)
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => write_list(items, out),
        Value::Object(fields) => write_object(fields, out),
    }
}

fn write_list(items: &[Value], out: &mut String) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_value(item, out);
    }
    out.push(']');
}

fn write_object(fields: &Map<String, Value>, out: &mut String) {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    out.push('{');
    for (at, (key, value)) in fields.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_text(key, out);
        out.push(':');
        write_value(value, out);
    }
    out.push('}');
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // Nearly everything is written as it is, and so in long pieces.
    while let Some((plain, special, behind)) = split_at_special(rest) {
        out.push_str(plain);
        match special {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x8 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0xc => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            control => push(out, format_args!("\\u{control:04x}")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out.push('"');
}

/// What comes before the first character that is escaped, that character, and what comes behind it.
fn split_at_special(text: &str) -> Option<(&str, u8, &str)> {
    let at = text.bytes().position(|byte| byte < b' ' || matches!(byte, b'"' | b'\\'))?;
    let (plain, rest) = text.split_at_checked(at)?;
    Some((plain, *rest.as_bytes().first()?, rest.get(1..)?))
}

fn write_number(number: &Number, out: &mut String) {
    match number.as_f64() {
        Some(fraction) if number.is_f64() => write_fraction(fraction, out),
        _ => push(out, format_args!("{number}")),
    }
}

/// Writes a double as ECMAScript's `Number.prototype.toString` does.
fn write_fraction(number: f64, out: &mut String) {
    if number < 0.0 {
        out.push('-');
    }
    // Rust gives the shortest digits that read back as the same number, as the standard asks: `d.ddde±x`.
    let shown = format!("{:e}", number.abs());
    let (mantissa, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    let digits = mantissa.replace('.', "");
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let (whole, fraction) = digits.split_at(usize::try_from(point.clamp(0, count)).unwrap_or(0));
    match point {
        _ if number == 0.0 => out.push('0'),
        1..=21 if count <= point => push(out, format_args!("{digits}{}", zeros(point - count))),
        1..=21 => push(out, format_args!("{whole}.{fraction}")),
        -5..=0 => push(out, format_args!("0.{}{digits}", zeros(-point))),
        _ => {
            let sign = if point > 0 { "+" } else { "" };
            push(out, format_args!("{mantissa}e{sign}{}", point - 1));
        }
    }
}

/// Appends formatted text, which cannot fail for a string.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(json: &str, expect: &Expect) {
        let text = text_of(&serde_json::from_str(json).unwrap());
        let plain = |character: char| character.is_ascii() && !character.is_ascii_control();
        let shown = |character: char| {
            if plain(character) { character.to_string() } else { character.escape_unicode().to_string() }
        };
        expect.assert_eq(&text.chars().map(shown).collect::<String>());
        assert!(parse(&text).is_some(), "what is written is canonical");
    }

    #[test]
    fn keys_are_sorted_and_blanks_are_gone() {
        check(
            r#"{ "b" : [ 1 , {"z":null,"a":true} ], "a" : false }"#,
            &expect![[r#"{"a":false,"b":[1,{"a":true,"z":null}]}"#]],
        );
    }

    #[test]
    fn keys_sort_by_utf16_as_the_standards_own_example_does() {
        check(
            r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew","1":"One","\ud83d\ude00":"Emoji","\u0080":"Control","\u00f6":"Latin"}"#,
            &expect![[
                r#"{"\r":"Carriage Return","1":"One","\u{80}":"Control","\u{f6}":"Latin","\u{20ac}":"Euro Sign","\u{1f600}":"Emoji","\u{fb33}":"Hebrew"}"#
            ]],
        );
    }

    #[test]
    fn only_what_must_be_escaped_is() {
        check(
            r#""\u0000\b\t\n\f\r\u001f\"\\\/ \u007f\u00e9\u2028""#,
            &expect![[r#""\u0000\b\t\n\f\r\u001f\"\\/ \u{7f}\u{e9}\u{2028}""#]],
        );
    }

    #[test]
    fn integers_keep_every_digit() {
        check(
            "[0,-1,9007199254740993,18446744073709551615,-9223372036854775808]",
            &expect!["[0,-1,9007199254740993,18446744073709551615,-9223372036854775808]"],
        );
    }

    #[test]
    fn fractions_are_written_as_ecmascript_does() {
        check(
            "[0.0,-0.0,1.0,100.0,0.5,-31.25,333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,1e20,1e21,1e-6,1e-7,123456789012345678901234567890]",
            &expect![
                "[0,0,1,100,0.5,-31.25,333333333.3333333,1e+30,4.5,0.002,1e-27,100000000000000000000,1e+21,0.000001,1e-7,1.2345678901234568e+29]"
            ],
        );
        check(
            "[5e-324,-1.7976931348623157e308,9007199254740992.0,295147905179352830000,9.999999999999997e22,1e23,0.000001,123.456]",
            &expect![
                "[5e-324,-1.7976931348623157e+308,9007199254740992,295147905179352830000,9.999999999999997e+22,1e+23,0.000001,123.456]"
            ],
        );
    }

    #[test]
    fn other_spellings_are_not_canonical() {
        for text in [
            "",
            "{",
            r#"{"a": 1}"#,
            r#"{"b":1,"a":2}"#,
            r#"{"a":1,"a":1}"#,
            "1.0",
            "1e2",
            "-0",
            r#""\/""#,
            r#""\u0041""#,
            "[1]\n",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn whatever_a_double_is_it_survives() {
        let mut dice = guild_testkit::Dice::new(0x5eed);
        for _ in 0..20_000 {
            let bits = (0..8).fold(0u64, |bits, _| bits << 8 | dice.below(256) as u64);
            let number = f64::from_bits(bits);
            if let Some(number) = Number::from_f64(number) {
                let text = text_of(&Value::Number(number.clone()));
                let read: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(read.as_f64(), number.as_f64(), "{text}");
                assert!(parse(&text).is_some(), "{text}");
            }
        }
    }
}
