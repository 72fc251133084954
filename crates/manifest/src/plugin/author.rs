//! Who made a plugin or keeps a marketplace: an object, or one line in the manner of package managers.

use super::fields::Fields;
use crate::tree::Node;
use serde::{Deserialize, Serialize};

/// A person or an organisation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Author {
    /// Their name.
    pub name: Option<String>,
    /// Their address.
    pub email: Option<String>,
    /// Their page.
    pub url: Option<String>,
}

impl Author {
    /// Reads `Name <email> (url)`, of which every part may be missing.
    pub fn from_line(line: &str) -> Option<Self> {
        let (line, url) = cut(line, '(', ')');
        let (line, email) = cut(&line, '<', '>');
        let name = Some(line.trim().to_owned()).filter(|name| !name.is_empty());
        let author = Self { name, email, url };
        Some(author).filter(|author| *author != Self::default())
    }
}

/// The author under `key`, as one line or as an object.
pub(super) fn read(fields: &mut Fields<'_>, key: &str) -> Option<Author> {
    let node = fields.take(key)?;
    match node.as_str() {
        Some(line) => Author::from_line(line),
        None => read_object(fields, key, node),
    }
}

/// The author in an object.
pub(super) fn read_object<'a>(fields: &Fields<'a>, key: &str, node: &'a Node) -> Option<Author> {
    let mut parts = fields.within(key, node)?;
    let author = Author { name: parts.text("name"), email: parts.text("email"), url: parts.text("url") };
    Some(author).filter(|author| *author != Author::default())
}

/// Takes the part between `open` and `close` out of `line`.
fn cut(line: &str, open: char, close: char) -> (String, Option<String>) {
    let whole = || (line.to_owned(), None);
    let Some((before, after)) = line.split_once(open) else { return whole() };
    let Some((inside, behind)) = after.split_once(close) else { return whole() };
    let inside = Some(inside.trim().to_owned()).filter(|inside| !inside.is_empty());
    (format!("{before}{behind}"), inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, name: Option<&str>, email: Option<&str>, url: Option<&str>) {
        let author = Author::from_line(line).unwrap_or_default();
        let parts = (author.name.as_deref(), author.email.as_deref(), author.url.as_deref());
        assert_eq!(parts, (name, email, url), "{line}");
    }

    #[test]
    fn a_line_names_a_person_an_address_and_a_page() {
        check("Ann", Some("Ann"), None, None);
        check("Ann <a@x.org> (https://x.org)", Some("Ann"), Some("a@x.org"), Some("https://x.org"));
        check("<a@x.org>", None, Some("a@x.org"), None);
        check("Ann (", Some("Ann ("), None, None);
        check(" ", None, None, None);
    }
}
