//! JSON Schema, as skills and tools declare it, held against values.
//!
//! A schema is a stranger's: it is compiled without fetching anything that it refers to elsewhere. That takes longer than holding a value
//! against it, so what a server compiles for one run it has for the next.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde_json::Value;

/// A schema that is ready to be held against values.
#[derive(Clone)]
pub struct Validator(Arc<jsonschema::Validator>);

/// How many errors of one value are told.
const MAX_ERRORS: usize = 50;
/// How many schemas are kept ready, by their texts.
const MAX_KNOWN: usize = 64;
/// The longest text that is kept.
const LONGEST: usize = 16 << 10;

static KNOWN: LazyLock<Mutex<HashMap<String, Validator>>> = LazyLock::new(Mutex::default);

impl Validator {
    /// Compiles a schema, or says why it is none.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let text = schema.to_string();
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = known().get(&text) {
            return Ok(validator.clone());
        }
        let compiled = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
        let validator = Self(Arc::new(compiled));
        if text.len() <= LONGEST {
            let mut known = known();
            if known.len() >= MAX_KNOWN {
                known.clear();
            }
            known.insert(text, validator.clone());
        }
        Ok(validator)
    }

    /// What is wrong with a value: where, as a JSON pointer, and what.
    pub fn errors(&self, value: &Value) -> Vec<(String, String)> {
        let errors = self.0.iter_errors(value).take(MAX_ERRORS);
        errors.map(|error| (error.instance_path().to_string(), error.masked().to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::json;

    #[track_caller]
    fn check(schema: &Value, value: &Value, expected: &Expect) {
        let told = match Validator::new(schema) {
            Ok(validator) => {
                let errors = validator.errors(value).into_iter();
                errors.map(|(path, message)| format!("{path}: {message}\n")).collect()
            }
            Err(reason) => format!("no schema: {reason}"),
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn every_error_is_told_with_its_place_and_without_the_value() {
        let schema = json!({"properties": {"n": {"maximum": 3}, "l": {"items": {"type": "string"}}}});
        check(
            &schema,
            &json!({"n": 9, "l": ["a", 1]}),
            &expect![[r#"
            /n: value is greater than the maximum of 3
            /l/1: value is not of type "string"
        "#]],
        );
    }

    #[test]
    fn a_schema_that_is_known_is_not_taken_for_another() {
        for most in 0..200 {
            let schema = json!({"maximum": most});
            for _ in 0..2 {
                let validator = Validator::new(&schema).unwrap();
                assert!(validator.errors(&json!(most)).is_empty());
                assert_eq!(validator.errors(&json!(most + 1)).len(), 1);
            }
        }
        assert!(KNOWN.lock().unwrap().len() <= MAX_KNOWN);
    }

    #[test]
    fn a_schema_elsewhere_is_not_fetched() {
        check(
            &json!({"$ref": "https://example.invalid/schema.json"}),
            &json!(1),
            &expect![
                "no schema: Resource 'https://example.invalid/schema.json' is not present in a registry and retrieving it failed: `resolve-http` feature or a custom resolver is required to resolve external schemas via HTTP"
            ],
        );
        check(
            &json!({"$ref": "file:///etc/passwd"}),
            &json!(1),
            &expect![
                "no schema: Resource 'file:///etc/passwd' is not present in a registry and retrieving it failed: `resolve-file` feature or a custom resolver is required to resolve external schemas via files"
            ],
        );
    }
}
