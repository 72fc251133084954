//! What a script gives: `/output/response.json`, else standard output as JSON, else as text; held to `outputs` where declared.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use guild_manifest::Digest;
use guild_manifest::skill::Contract;
use guild_manifest::tree::Data;
use serde_json::Value;

use super::params::ParamError;
use crate::reply::OutputFile;
use crate::schema::Validator;

/// The file that holds the result.
pub const RESPONSE: &str = "response.json";
/// The largest result that is read.
const LARGEST: u64 = 16 << 20;

/// The result.
pub fn read(directory: Option<&Path>, stdout: &[u8]) -> Result<Value, String> {
    if let Some(bytes) = directory.map(response).transpose()?.flatten() {
        return serde_json::from_slice(&bytes)
            .map_err(|error| format!("/output/{RESPONSE} is no JSON: {error}"));
    }
    let text = String::from_utf8_lossy(stdout);
    Ok(serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(text.into_owned())))
}

/// What the file holds that is for the result, where there is one.
pub fn response(directory: &Path) -> Result<Option<Vec<u8>>, String> {
    let file = directory.join(RESPONSE);
    if !file.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let opened = fs::File::open(&file).map_err(|error| error.to_string())?;
    opened.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("/output/{RESPONSE} is larger than {LARGEST} bytes"));
    }
    Ok(Some(bytes))
}

/// What is wrong with a result. A schema that refers to a file of the skill is read from the staged copy.
pub fn errors(contract: &Contract, skill: &Path, value: &Value) -> Vec<ParamError> {
    let Some(declared) = &contract.outputs else { return Vec::new() };
    let found = schema(declared, skill).and_then(|schema| Validator::new(&schema));
    match found {
        Ok(validator) => {
            let errors = validator.errors(value).into_iter();
            errors.map(|(path, message)| ParamError { path, message }).collect()
        }
        Err(reason) => {
            let message = format!("what the skill declares of its result cannot be checked: {reason}");
            vec![ParamError { path: String::new(), message }]
        }
    }
}

/// The declared schema, or the one in the file that it names.
fn schema(declared: &Data, skill: &Path) -> Result<Value, String> {
    let file = match (declared, declared.get("$ref")) {
        (Data::Map(fields), Some(Data::Text(file))) if fields.len() == 1 && !file.starts_with('#') => file,
        _ => return Ok(declared.to_json()),
    };
    let bytes = fs::read(skill.join(file)).map_err(|error| format!("{file}: {error}"))?;
    if file.ends_with(".json") {
        return serde_json::from_slice(&bytes).map_err(|error| format!("{file}: {error}"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let read = guild_manifest::tree::yaml::parse(&text, 1);
    let json = |node: guild_manifest::tree::Node| node.to_data().to_json();
    read.map(|parsed| parsed.root.map(json).unwrap_or_default())
        .map_err(|problem| format!("{file}: {}", problem.message))
}

/// The files that a script left beside its result, by digest.
pub fn files(directory: &Path, kept: &[guild_sandbox::KeptFile]) -> Vec<OutputFile> {
    let file = |kept: &guild_sandbox::KeptFile| {
        let digest = digest(&directory.join(&kept.path)).ok()?;
        Some(OutputFile {
            path: kept.path.to_string_lossy().into_owned(),
            digest: digest.to_string(),
            size: kept.size,
        })
    };
    kept.iter().filter_map(file).collect()
}

fn digest(path: &Path) -> std::io::Result<Digest> {
    let mut file = fs::File::open(path)?;
    let mut builder = guild_manifest::DigestBuilder::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(builder.finish()),
            count => builder.add(buffer.get(..count).unwrap_or_default()),
        }
    }
}
