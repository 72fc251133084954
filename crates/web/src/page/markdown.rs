//! A skill's text as a person reads it: Markdown, of which nothing but its shape is believed.
//!
//! Markup in it is shown as text. A link says where it leads and is one only where it leads to a page; pictures are not fetched.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::html::{Html, put};

/// What is shown at the most; the whole of it is among the skill's files.
const MOST_BYTES: usize = 256 << 10;

/// The text, rendered.
pub(crate) fn rendered(text: &str) -> Html {
    let cut = text.len() > MOST_BYTES;
    let end = (0..=MOST_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = text.get(..end).unwrap_or_default();
    let mut writer = Writer::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        writer.take(event);
    }
    if cut {
        put!(writer.out; "<p class=\"notice warn\">The text goes on; it is too long to be shown here.</p>");
    }
    writer.out
}

#[derive(Default)]
struct Writer {
    out: Html,
    /// Where the links that are open lead.
    links: Vec<String>,
    is_in_head: bool,
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => put!(self.out; {text.as_ref()}),
            Event::Code(text) => put!(self.out; "<code>" {text.as_ref()} "</code>"),
            Event::Html(text) | Event::InlineHtml(text) => {
                put!(self.out; "<code class=\"markup\" title=\"Markup of the skill, shown as text\">" {text.as_ref()} "</code>");
            }
            Event::SoftBreak => put!(self.out; {"\n"}),
            Event::HardBreak => self.out.markup("<br>"),
            Event::Rule => self.out.markup("<hr>"),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                put!(self.out; {text.as_ref()});
            }
            Event::TaskListMarker(done) => put!(self.out; {if done { "[x] " } else { "[ ] " }}),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Link { dest_url, .. } => self.link(dest_url.as_ref()),
            Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.to_string());
                self.out.markup("<span class=\"chip\">picture: ");
            }
            Tag::List(Some(from)) => put!(self.out; "<ol start=\"" {from} "\">"),
            Tag::CodeBlock(CodeBlockKind::Fenced(word)) if !word.is_empty() => {
                put!(self.out; "<p class=\"lang\">" {word.as_ref()} "</p><pre tabindex=\"0\"><code>");
            }
            Tag::TableHead => {
                self.is_in_head = true;
                self.out.markup("<thead><tr>");
            }
            Tag::TableCell if self.is_in_head => self.out.markup("<th>"),
            other => self.out.markup(opening(&other)),
        }
    }

    /// A link is one where it leads to a page elsewhere; what it says and where it leads are both shown.
    fn link(&mut self, to: &str) {
        if is_page(to) {
            put!(self.out; "<a rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"" {to} "\">");
        } else {
            self.out.markup("<span>");
        }
        self.links.push(to.to_owned());
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link => {
                let to = self.links.pop().unwrap_or_default();
                self.out.markup(if is_page(&to) { "</a>" } else { "</span>" });
                put!(self.out; " <code class=\"leads\">" {to} "</code>");
            }
            TagEnd::Image => put!(self.out; "</span> <code class=\"leads\">" {self.links.pop()} "</code>"),
            TagEnd::TableHead => {
                self.is_in_head = false;
                self.out.markup("</tr></thead>");
            }
            TagEnd::TableCell if self.is_in_head => self.out.markup("</th>"),
            other => self.out.markup(closing(other)),
        }
    }
}

fn is_page(to: &str) -> bool {
    to.starts_with("https://") || to.starts_with("http://")
}

fn opening(tag: &Tag<'_>) -> &'static str {
    match tag {
        Tag::Paragraph => "<p>",
        Tag::Heading { level, .. } => match level {
            HeadingLevel::H1 | HeadingLevel::H2 => "<h3>",
            _ => "<h4>",
        },
        Tag::BlockQuote(_) => "<blockquote>",
        Tag::CodeBlock(_) => "<pre tabindex=\"0\"><code>",
        Tag::List(_) => "<ul>",
        Tag::Item => "<li>",
        Tag::Table(_) => "<div class=\"scroll\"><table>",
        Tag::TableRow => "<tr>",
        Tag::TableCell => "<td>",
        Tag::Emphasis => "<em>",
        Tag::Strong => "<strong>",
        Tag::Strikethrough => "<s>",
        _ => "",
    }
}

fn closing(tag: TagEnd) -> &'static str {
    match tag {
        TagEnd::Paragraph => "</p>",
        TagEnd::Heading(HeadingLevel::H1 | HeadingLevel::H2) => "</h3>",
        TagEnd::Heading(_) => "</h4>",
        TagEnd::BlockQuote(_) => "</blockquote>",
        TagEnd::CodeBlock => "</code></pre>",
        TagEnd::List(true) => "</ol>",
        TagEnd::List(false) => "</ul>",
        TagEnd::Item => "</li>",
        TagEnd::Table => "</table></div>",
        TagEnd::TableRow => "</tr>",
        TagEnd::TableCell => "</td>",
        TagEnd::Emphasis => "</em>",
        TagEnd::Strong => "</strong>",
        TagEnd::Strikethrough => "</s>",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(rendered(text).into_string(), expected);
    }

    #[test]
    fn shape_is_kept_and_headings_come_below_the_pages_own() {
        check("# A\n\nb *c* **d** `e`\n", "<h3>A</h3><p>b <em>c</em> <strong>d</strong> <code>e</code></p>");
        check("1. a\n2. b\n", "<ol start=\"1\"><li>a</li><li>b</li></ol>");
        check(
            "```sh\na <b>\n```\n",
            "<p class=\"lang\">sh</p><pre tabindex=\"0\"><code>a &lt;b&gt;\n</code></pre>",
        );
    }

    #[test]
    fn markup_and_links_do_nothing() {
        let markup = "<code class=\"markup\" title=\"Markup of the skill, shown as text\">";
        check(
            "<script>alert(1)</script>\n",
            &format!("{markup}&lt;script&gt;alert(1)&lt;/script&gt;\n</code>"),
        );
        check("a <img src=x onerror=y>", &format!("<p>a {markup}&lt;img src=x onerror=y&gt;</code></p>"));
        check(
            "[a](javascript:alert(1))",
            "<p><span>a</span> <code class=\"leads\">javascript:alert(1)</code></p>",
        );
        check(
            "![a](http://203.0.113.7/x.png)",
            "<p><span class=\"chip\">picture: a</span> <code class=\"leads\">http://203.0.113.7/x.png</code></p>",
        );
        check(
            "[a](https://example.org/\"x)",
            "<p><a rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"https://example.org/&quot;x\">a</a> <code class=\"leads\">https://example.org/&quot;x</code></p>",
        );
    }
}
