//! Parameters as they are typed: `name=value` pairs, and a JSON object from the line, a file or standard input.

use crate::ui::Ui;
use guild_engine::{Code, Given, Refusal};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read};

/// The most that is read.
const LARGEST: u64 = 16 << 20;

/// An object of values: as JSON, `@FILE` that holds one, or `-` for standard input.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    /// The option that it stands behind.
    pub option: &'a str,
    /// What stands there.
    pub source: &'a str,
}

/// Everything that was given.
pub fn given(pairs: &[String], json: Option<Object<'_>>, ui: &Ui) -> Result<Given, Refusal> {
    let mut given = Given::default();
    if let Some(Object { option, source }) = json {
        given.values = match serde_json::from_str(&text(source, ui)?) {
            Ok(Value::Object(values)) => values,
            Ok(_) => return Err(wrong(&format!("{option} is no JSON object"))),
            Err(error) => return Err(wrong(&format!("{option} is no JSON: {error}"))),
        };
    }
    for pair in pairs {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| wrong(&format!("`--param {pair}` is not written as NAME=VALUE")))?;
        given.texts.push((name.to_owned(), value.to_owned()));
    }
    Ok(given)
}

/// The text itself, what a file holds, or what is piped in.
fn text(source: &str, ui: &Ui) -> Result<String, Refusal> {
    let read = |from: &mut dyn Read| {
        let mut text = String::new();
        let count = from.take(LARGEST + 1).read_to_string(&mut text)?;
        if count as u64 > LARGEST { Err(io::Error::other("it is too long")) } else { Ok(text) }
    };
    let told = |what: &str, error: io::Error| wrong(&format!("cannot read parameters from {what}: {error}"));
    if source == "-" {
        return read(&mut io::stdin()).map_err(|error| told("standard input", error));
    }
    match source.strip_prefix('@') {
        None => Ok(source.to_owned()),
        Some(file) => {
            let path = ui.machine().directory.join(file);
            File::open(path).and_then(|mut file| read(&mut file)).map_err(|error| told(file, error))
        }
    }
}

fn wrong(message: &str) -> Refusal {
    Refusal::new(Code::Usage, message)
}
