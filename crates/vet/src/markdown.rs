//! Markdown taken apart: lines of prose, code with the words around it, raw HTML.
//!
//! It weighs nothing; what the words around a piece mean is `context`'s to say.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// How much of the words around a piece is kept.
const MAX_WORDS: usize = 600;

/// A line of prose, with the targets of its links behind their texts.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// The text, markup removed.
    pub text: String,
    /// The line of the file.
    pub line: u32,
    /// The heading it stands under.
    pub heading: String,
}

impl Line {
    /// The line with the headings above it.
    pub fn words(&self) -> String {
        format!("{}\n{}", self.heading, self.text)
    }
}

/// A piece of code or HTML.
#[derive(Debug, Clone)]
pub struct Block {
    /// The language that the fence names; empty where it names none.
    pub language: String,
    /// The text.
    pub text: String,
    /// The line of the file on which the text begins.
    pub line: u32,
    /// The words around it: headings, what stands before it, the sentence it stands in.
    pub words: String,
}

/// A text taken apart.
#[derive(Debug, Default)]
pub struct Document {
    /// Prose, line by line.
    pub prose: Vec<Line>,
    /// Code in blocks.
    pub code: Vec<Block>,
    /// Code in lines.
    pub spans: Vec<Block>,
    /// Raw HTML.
    pub html: Vec<Block>,
}

/// Takes a text apart; its first line is line `first_line` of its file.
pub fn read(text: &str, first_line: u32) -> Document {
    let starts: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let mut reader = Reader { first_line, starts, ..Reader::default() };
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        reader.event(event, range.start);
    }
    reader.flush_paragraph();
    reader.document
}

#[derive(Default)]
struct Reader {
    first_line: u32,
    starts: Vec<usize>,
    document: Document,
    headings: Vec<(usize, String)>,
    level: Option<usize>,
    line: Line,
    /// The paragraph so far, and where its code spans lie in the document.
    paragraph: String,
    first_span: usize,
    /// What stood before the current block.
    before: String,
    block: Option<Block>,
    /// The line behind the last piece of HTML.
    html_end: u32,
    link: Vec<String>,
}

impl Reader {
    fn at(&self, offset: usize) -> u32 {
        let row = self.starts.partition_point(|start| *start < offset);
        self.first_line.saturating_add(u32::try_from(row).unwrap_or(u32::MAX))
    }

    fn event(&mut self, event: Event<'_>, offset: usize) {
        match event {
            Event::Start(tag) => self.start(tag, offset),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.block {
                Some(block) => block.text.push_str(&text),
                None => self.push(&text, offset),
            },
            Event::Code(code) => {
                let span = Block {
                    language: String::new(),
                    text: code.to_string(),
                    line: self.at(offset),
                    words: String::new(),
                };
                self.document.spans.push(span);
                self.push(&format!("`{code}`"), offset);
            }
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html, offset),
            Event::SoftBreak | Event::HardBreak => self.flush_line(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, offset: usize) {
        match tag {
            Tag::CodeBlock(kind) => {
                self.flush_paragraph();
                let (language, fence) = match kind {
                    CodeBlockKind::Fenced(info) => (info.to_string(), 1),
                    CodeBlockKind::Indented => (String::new(), 0),
                };
                let line = self.at(offset).saturating_add(fence);
                self.block = Some(Block { language, text: String::new(), line, words: self.words() });
            }
            Tag::Heading { level, .. } => {
                self.flush_paragraph();
                self.level = Some(level as usize);
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.link.push(dest_url.to_string()),
            Tag::Paragraph
            | Tag::Item
            | Tag::TableCell
            | Tag::TableRow
            | Tag::TableHead
            | Tag::BlockQuote(_) => {
                self.flush_line();
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => self.document.code.extend(self.block.take()),
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::Link | TagEnd::Image => {
                if let Some(url) = self.link.pop() {
                    self.line.text.push_str(&format!(" ({url})"));
                    self.paragraph.push_str(&format!(" ({url})"));
                }
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow | TagEnd::TableHead | TagEnd::HtmlBlock => {
                self.flush_paragraph();
            }
            TagEnd::TableCell => self.push(" | ", usize::MAX),
            _ => {}
        }
    }

    fn end_heading(&mut self) {
        let level = self.level.take().unwrap_or(1);
        let title = self.paragraph.trim().to_owned();
        self.headings.retain(|(known, _)| *known < level);
        self.flush_paragraph();
        self.before.clear();
        self.headings.push((level, clip(&title, 200)));
    }

    fn push(&mut self, text: &str, offset: usize) {
        if self.line.text.is_empty() && offset != usize::MAX {
            self.line.line = self.at(offset);
        }
        self.line.text.push_str(text);
        self.paragraph.push_str(text);
    }

    fn html(&mut self, html: &str, offset: usize) {
        let line = self.at(offset);
        let end = line.saturating_add(lines(html));
        for (row, text) in html.lines().enumerate() {
            let line = line.saturating_add(u32::try_from(row).unwrap_or(u32::MAX));
            self.document.prose.push(Line { text: text.to_owned(), line, heading: self.heading() });
        }
        match self.document.html.last_mut() {
            Some(last) if self.html_end == line => last.text.push_str(html),
            _ => {
                let words = self.words();
                self.document.html.push(Block {
                    language: "html".to_owned(),
                    text: html.to_owned(),
                    line,
                    words,
                });
            }
        }
        self.html_end = end;
    }

    fn flush_line(&mut self) {
        if !self.line.text.trim().is_empty() {
            let mut line = std::mem::take(&mut self.line);
            line.heading = self.heading();
            self.document.prose.push(line);
            self.paragraph.push('\n');
        }
        self.line = Line::default();
    }

    fn flush_paragraph(&mut self) {
        self.flush_line();
        let paragraph = std::mem::take(&mut self.paragraph);
        if self.first_span < self.document.spans.len() {
            let words = format!("{}\n{}", self.heading(), clip(&paragraph, MAX_WORDS));
            for span in self.document.spans.iter_mut().skip(self.first_span) {
                span.words.clone_from(&words);
            }
            self.first_span = self.document.spans.len();
        }
        if !paragraph.trim().is_empty() {
            self.before = paragraph;
        }
    }

    fn heading(&self) -> String {
        self.headings.iter().rev().take(2).map(|(_, title)| title.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn words(&self) -> String {
        format!("{}\n{}", self.heading(), clip(&self.before, MAX_WORDS))
    }
}

fn lines(text: &str) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(u32::MAX)
}

/// The last characters of a text: what stands nearest counts most.
fn clip(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let skipped = text.chars().count().saturating_sub(most);
    text.chars().skip(skipped).collect()
}
