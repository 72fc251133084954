//! The bytes of a configuration file to a tree, in either syntax, with one code for every way to fail.

use crate::tree::{Node, toml, yaml};
use crate::{Code, Pos, Problem, text};

/// The largest configuration file that is read.
pub const MAX_BYTES: usize = 256 * 1024;

/// How a configuration file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// TOML, unless the name says otherwise.
    Toml,
    /// YAML, by the extensions `yaml` and `yml`.
    Yaml,
}

impl Syntax {
    /// The syntax that a file's name asks for.
    pub fn of(path: &str) -> Self {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_yaml = ["yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known));
        if is_yaml { Self::Yaml } else { Self::Toml }
    }
}

/// The tree of a file, `None` for an empty one; an `Err` is always `config_invalid`.
pub(super) fn parse(
    syntax: Syntax,
    bytes: &[u8],
    problems: &mut Vec<Problem>,
) -> Result<Option<Node>, Problem> {
    let text = decode(bytes, problems)?;
    let root = match syntax {
        Syntax::Toml => Some(toml::parse(&text)?),
        Syntax::Yaml => {
            let parsed = yaml::parse(&text, 1).map_err(unreadable)?;
            problems.extend(parsed.problems);
            parsed.root
        }
    };
    match root {
        Some(root) if root.is_null() => Ok(None),
        Some(root) if root.as_map().is_none() => {
            let message = format!("the file is {}, but takes keys with values", root.what());
            Err(invalid(root.at, message, "begin with a key, such as `skills:`"))
        }
        root => Ok(root),
    }
}

/// The text; unlike a skill's, it is not mended, because a name that was changed on the way would allow or forbid
/// something else than was written.
fn decode<'a>(bytes: &'a [u8], problems: &mut Vec<Problem>) -> Result<std::borrow::Cow<'a, str>, Problem> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} bytes; the limit is {MAX_BYTES}", bytes.len());
        return Err(invalid(Pos::START, message, "keep the configuration short"));
    }
    let decoded = text::decode(bytes, MAX_BYTES).map_err(|problem| problem.with_code(Code::ConfigInvalid))?;
    for problem in decoded.problems {
        if problem.code == Code::InvalidUtf8 {
            return Err(invalid(problem.at, "the file is not UTF-8", "save the file as UTF-8"));
        }
        problems.push(problem);
    }
    Ok(decoded.text)
}

fn unreadable(problem: Problem) -> Problem {
    if problem.code == Code::YamlRefused {
        let message = "the YAML uses an anchor, an alias or a tag, which configuration may not";
        return invalid(problem.at, message, problem.hint);
    }
    problem.with_code(Code::ConfigInvalid)
}

fn invalid(at: Pos, message: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem::new(Code::ConfigInvalid, at, message, hint)
}
