//! Markup in the making: the one way to write it, in which a stranger's text cannot become markup.
//!
//! Markup is what stands in this program's own source; everything else is text and is escaped, with what cannot be seen made
//! visible. There is no third way.

use std::borrow::Cow;
use std::fmt::Write as _;

use guild_engine::manifest::escape;

use crate::form::encoded;

/// A piece of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

/// An address on this site, whose parts are whatever they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url(String);

/// Text that comes back as it is: what somebody edits, or the value of a field that is sent again. It is no markup either.
pub(crate) struct Exact<'a>(pub &'a str);

/// Writes markup, which is a literal, and values, which stand in braces: `put!(out; "<b>" {name} "</b>")`.
macro_rules! put {
    ($out:expr; $($piece:tt)*) => {{ $($crate::page::html::put_piece!($out, $piece);)* }};
}
pub(crate) use put;

macro_rules! put_piece {
    ($out:expr, {$value:expr}) => {
        $crate::page::html::Put::put(&$value, &mut $out)
    };
    ($out:expr, $markup:literal) => {
        $out.markup($markup)
    };
}
pub(crate) use put_piece;

/// A value that can stand in a page.
pub(crate) trait Put {
    /// Writes it.
    fn put(&self, out: &mut Html);
}

impl Html {
    /// Markup of our own: what is known when this is compiled, and nothing else.
    pub(crate) fn markup(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Text, with what cannot be seen made visible.
    fn text(&mut self, text: &str) {
        self.escaped(&escape::block(text));
    }

    fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
    }

    /// What was written.
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl Url {
    /// The address with these parts, each of them one segment.
    pub(crate) fn of(parts: &[&str]) -> Self {
        let mut path = String::new();
        for part in parts {
            path.push('/');
            path.push_str(&encoded(part));
        }
        Self(if path.is_empty() { "/".to_owned() } else { path })
    }

    /// The same with a field in its query.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        let sign = if self.0.contains('?') { '&' } else { '?' };
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{sign}{name}={}", encoded(value));
        self
    }

    /// As it stands in a header.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Put for str {
    fn put(&self, out: &mut Html) {
        out.text(self);
    }
}

impl Put for String {
    fn put(&self, out: &mut Html) {
        out.text(self);
    }
}

impl Put for Cow<'_, str> {
    fn put(&self, out: &mut Html) {
        out.text(self);
    }
}

impl Put for Exact<'_> {
    fn put(&self, out: &mut Html) {
        out.escaped(self.0);
    }
}

impl Put for Url {
    fn put(&self, out: &mut Html) {
        out.text(&self.0);
    }
}

impl Put for Html {
    fn put(&self, out: &mut Html) {
        out.0.push_str(&self.0);
    }
}

impl<T: Put + ?Sized> Put for &T {
    fn put(&self, out: &mut Html) {
        (**self).put(out);
    }
}

impl<T: Put> Put for Option<T> {
    fn put(&self, out: &mut Html) {
        if let Some(value) = self {
            value.put(out);
        }
    }
}

macro_rules! put_number {
    ($($kind:ty)+) => {
        $(impl Put for $kind {
            fn put(&self, out: &mut Html) {
                // Writing to a string cannot fail.
                let _ = write!(out.0, "{self}");
            }
        })+
    };
}
put_number!(u16 u32 u64 i32 i64 usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        let mut out = Html::default();
        let (name, nested) = ("<script>alert('1')</script>", Html::default());
        put!(out; "<b title=\"" {"a\" onclick=\"b"} "\">" {name} {3_usize} {nested} "</b>" {Some("\u{202e}&\u{1b}[2J")});
        assert_eq!(
            out.into_string(),
            "<b title=\"a&quot; onclick=&quot;b\">&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;3</b>\\u{202e}&amp;\\u{1b}[2J"
        );
    }

    #[test]
    fn what_comes_back_is_what_was_there() {
        let mut out = Html::default();
        put!(out; "<textarea>" {Exact("</textarea>\u{200b}\t\"'&")} "</textarea>");
        assert_eq!(out.into_string(), "<textarea>&lt;/textarea&gt;\u{200b}\t&quot;&#39;&amp;</textarea>");
    }

    #[test]
    fn an_address_stays_on_the_site_whatever_its_parts_are() {
        assert_eq!(Url::of(&[]).as_str(), "/");
        assert_eq!(Url::of(&["skills", "../a?b#c"]).as_str(), "/skills/..%2Fa%3Fb%23c");
        let url = Url::of(&["skills"]).with("q", "a&b").with("page", "2");
        assert_eq!(url.as_str(), "/skills?q=a%26b&page=2");
    }
}
