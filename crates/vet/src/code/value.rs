//! What an expression is known to be: its text, what it is called, and where it comes from.

use crate::flow::Taint;
use std::rc::Rc;

/// How much of a text is kept.
const MAX_TEXT: usize = 16 * 1024;

/// A value.
#[derive(Debug, Clone, Default)]
pub struct Value {
    /// The text, where all of it is known.
    pub text: Option<String>,
    /// The dotted name of what it is, such as `os.system` or `requests.get().text`.
    pub path: String,
    /// Whether that name was put together instead of written.
    pub hidden: bool,
    /// Where it comes from.
    pub taint: Taint,
    /// The members of a list that is known; shared, since lists of lists would else grow with every name they are given.
    pub(super) members: Option<Rc<[Value]>>,
}

impl Value {
    /// A text that is known.
    pub fn of_text(text: String) -> Self {
        let text = (text.len() <= MAX_TEXT).then_some(text);
        Self { text, ..Self::default() }
    }

    /// Something that has a name.
    pub fn of_path(path: String) -> Self {
        Self { path, ..Self::default() }
    }

    /// Nothing but an origin.
    pub fn of_taint(taint: Taint) -> Self {
        Self { taint, ..Self::default() }
    }

    /// Texts joined; known only if all are.
    pub fn joined(parts: &[Self], between: &str) -> Self {
        let mut taint = Taint::default();
        parts.iter().for_each(|part| taint.merge(&part.taint));
        let size: usize = parts.iter().filter_map(|part| part.text.as_ref()).map(String::len).sum();
        let texts: Option<Vec<&str>> =
            parts.iter().map(|part| part.text.as_deref()).collect::<Option<_>>().filter(|_| size <= MAX_TEXT);
        let text = texts.map(|texts| texts.join(between)).filter(|text| text.len() <= MAX_TEXT);
        Self { text, taint, ..Self::default() }
    }

    /// The same, with the members of a list.
    #[must_use]
    pub fn with_items(self, items: Vec<Self>) -> Self {
        Self { members: (!items.is_empty()).then(|| items.into()), ..self }
    }

    /// The members of a list that is known.
    pub fn items(&self) -> &[Self] {
        self.members.as_deref().unwrap_or_default()
    }

    /// The known text, or nothing.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}
