//! An error with everything that led to it, in one line.

use std::error::Error;

/// The error's own words and those of its causes, but not what it says of them itself.
pub(crate) fn with_cause(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = inner.source();
    }
    text
}
