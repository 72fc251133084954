//! What stands in an address: the parts of its path and its parameters, decoded, and held to what a route declares of them.

use guild_engine::{Code, Refusal};

/// A parameter that a route takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Param {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: Kind,
    pub required: bool,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Text,
    /// Several, by repeating it.
    Words,
    /// `true` or `false`.
    Flag,
    /// A number, and which one where it is absent.
    Count {
        usual: usize,
        most: usize,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The parameters of a request, each of which its route declares.
#[derive(Debug, Default)]
pub(crate) struct Query {
    given: Vec<(&'static Param, String)>,
}

impl Param {
    /// One that may be absent.
    pub(crate) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, about, kind, required: false }
    }

    fn check(&self, value: &str) -> Result<(), Refusal> {
        let what = match self.kind {
            Kind::Text | Kind::Words => return Ok(()),
            Kind::Flag if matches!(value, "true" | "false") => return Ok(()),
            Kind::Flag => "`true` or `false`".to_owned(),
            Kind::Count { most, .. } => {
                let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
                if is_number && value.parse::<usize>().is_ok_and(|count| (1..=most).contains(&count)) {
                    return Ok(());
                }
                format!("a number from 1 to {most}")
            }
            Kind::Choice(words) if words.contains(&value) => return Ok(()),
            Kind::Choice(words) => format!("one of `{}`", words.join("`, `")),
        };
        Err(invalid(format!("the parameter `{}` takes {what}", self.name)))
    }
}

impl Query {
    /// Reads the part of an address behind its question mark.
    pub(crate) fn read(text: Option<&str>, declared: &'static [Param]) -> Result<Self, Refusal> {
        let mut query = Self::default();
        for pair in text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?);
            let Some(param) = declared.iter().find(|param| param.name == name) else {
                let known: Vec<&str> = declared.iter().map(|param| param.name).collect();
                let known =
                    if known.is_empty() { "none".to_owned() } else { format!("`{}`", known.join("`, `")) };
                return Err(invalid(format!("an unknown parameter; this route takes {known}")));
            };
            param.check(&value)?;
            if !matches!(param.kind, Kind::Words) && query.text(param.name).is_some() {
                return Err(invalid(format!("the parameter `{}` stands there twice", param.name)));
            }
            query.given.push((param, value));
        }
        match declared.iter().find(|param| param.required && query.text(param.name).is_none()) {
            Some(missing) => Err(invalid(format!("the parameter `{}` is missing", missing.name))),
            None => Ok(query),
        }
    }

    /// The value of a parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(param, _)| param.name == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub(crate) fn words(&self, name: &str) -> Vec<String> {
        self.given.iter().filter(|(param, _)| param.name == name).map(|(_, value)| value.clone()).collect()
    }

    /// Whether a parameter is `true`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// A number, or the usual one.
    pub(crate) fn count(&self, param: &Param) -> usize {
        let usual = if let Kind::Count { usual, .. } = param.kind { usual } else { 0 };
        self.text(param.name).and_then(|value| value.parse().ok()).unwrap_or(usual)
    }
}

/// The values of the names in a route's path.
pub(crate) fn parts(route: &str, path: &str) -> Result<Vec<String>, Refusal> {
    let pairs = route.split('/').zip(path.split('/'));
    pairs.filter(|(name, _)| name.starts_with('{')).map(|(_, part)| decoded(part)).collect()
}

/// A text whose bytes may be written as `%2F`.
pub(crate) fn decoded(text: &str) -> Result<String, Refusal> {
    let malformed = || {
        Refusal::new(
            Code::RequestMalformed,
            "the address is no text: `%` stands before two digits of a byte of UTF-8",
        )
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (high, low) = (digit().ok_or_else(malformed)?, digit().ok_or_else(malformed)?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| malformed())?);
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => Err(invalid("no text holds the character NUL".to_owned())),
        Ok(text) => Ok(text),
        Err(_) => Err(malformed()),
    }
}

/// A text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(letter).collect()
}

pub(crate) fn invalid(message: String) -> Refusal {
    Refusal::new(Code::RequestInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Param = Param::new("limit", Kind::Count { usual: 7, most: 20 }, "");
    static DECLARED: [Param; 4] = [
        LIMIT,
        Param::new("all", Kind::Flag, ""),
        Param::new("name", Kind::Words, ""),
        Param { required: true, ..Param::new("q", Kind::Text, "") },
    ];

    #[track_caller]
    fn check(text: &str, expected: Result<(usize, bool, &[&str], &str), Code>) {
        let query = Query::read(Some(text), &DECLARED);
        let read = query.as_ref().map(|query| {
            (query.count(&LIMIT), query.flag("all"), query.words("name"), query.text("q").unwrap_or_default())
        });
        let expected = expected.map(|(count, all, names, q)| {
            (count, all, names.iter().map(|&name| name.to_owned()).collect(), q)
        });
        assert_eq!(read.map_err(|refusal| refusal.code), expected, "{text}");
    }

    #[test]
    fn parameters_are_decoded_and_held_to_what_is_declared() {
        check("q=a", Ok((7, false, &[], "a")));
        check("q=a%20b+c&limit=20&all=true&name=x&name=p%2Fy", Ok((20, true, &["x", "p/y"], "a b c")));
        for wrong in
            ["", "q=a&q=b", "q=a&limit=0", "q=a&limit=21", "q=a&limit=+1", "q=a&all=1", "q=a&x=1", "q=%00"]
        {
            check(wrong, Err(Code::RequestInvalid));
        }
        for broken in ["q=%", "q=%4", "q=%zz", "q=%ff", "%ff=1"] {
            check(broken, Err(Code::RequestMalformed));
        }
    }

    #[test]
    fn a_part_of_a_path_may_hold_what_separates_parts() {
        let parts = parts("/skills/{name}/files/{path}", "/skills/p%2Fs/files/a%20b").unwrap();
        assert_eq!(parts, ["p/s", "a b"]);
        assert_eq!(encoded("p/s ü"), "p%2Fs%20%C3%BC");
    }
}
