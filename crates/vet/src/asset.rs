//! Images, pages and documents that run something when they are shown.

use crate::codes::Code;
use crate::finding::Finding;
use crate::pattern::patterns;
use crate::rows::Rows;
use crate::scan::{Scan, Setting, Source};
use crate::syntax::Grammar;
use crate::{address, code};

patterns! {
    /// What runs in an image: scripts, handlers, addresses that are code, foreign pages.
    ACTIVE = r"(<[ ]*script\b|\bon(load|error|click|mouse[a-z]*|focus|begin|end|repeat|activate)[ \n]*=[ \n]*[\x22']|",
        r"(href|src|xlink:href)[ \n]*=[ \n]*[\x22'][ \n]*(javascript:|data:text/html)|<[ ]*foreignobject\b|<!ENTITY\b|<[ ]*iframe\b|",
        r"\]\(javascript:)";
    /// A script of a page.
    SCRIPT = r"<script\b[^>]*>[^<]*(<[^/][^<]*)*</script>";
    /// A script that a page loads.
    REMOTE_SCRIPT = r"<script\b[^>]*\bsrc[ \n]*=[ \n]*[\x22']?https?://[^\x22'> ]+";
    /// A page that takes what a browser keeps and sends it.
    TAKES = r"(document\.cookie|localstorage\b|sessionstorage\b)";
    SENDS = r"(\bfetch\(|xmlhttprequest|sendbeacon|new image\(\)|\.src[ ]*=)";
    /// What runs in a document.
    PDF_ACTION = r"/(openaction|aa)\b";
    PDF_SCRIPT = r"/(javascript|js|launch)\b";
}

/// Looks at a file of elements.
pub fn scan(path: &str, text: &str, scan: &mut Scan) {
    let is_image = path.to_ascii_lowercase().ends_with(".svg");
    let found = if is_image { ACTIVE.first(text) } else { None };
    if let Some(found) = found {
        return scan.add(Finding::new(
            Code::ActiveContent,
            path,
            Rows::new(text).line(found.start),
            around(text, found.start),
        ));
    }
    let mut rows = Rows::new(text);
    for (offset, tag) in REMOTE_SCRIPT.all(text) {
        let place = address::urls(tag).map(|(_, url)| address::place(url)).max();
        let code = match place {
            Some(place) if place >= address::Place::Unknown => Code::ActiveContent,
            _ => Code::ActivePage,
        };
        scan.add(Finding::new(code, path, rows.line(offset), tag));
    }
    let mut rows = Rows::new(text);
    for (offset, script) in SCRIPT.all(text) {
        let inner = script.split_once('>').map_or("", |(_, rest)| rest.trim_end_matches("</script>"));
        let at = rows.line(offset);
        if TAKES.is_in(inner)
            && SENDS.is_in(inner)
            && address::urls(inner).any(|(_, url)| address::place(url) >= address::Place::Plain)
        {
            scan.add(Finding::new(Code::ActiveContent, path, at, inner));
        }
        code::scan(Grammar::JavaScript, inner, &Source::new(path, at, Setting::Script), scan);
    }
}

/// Looks at elements in the middle of a text.
pub fn scan_inline(text: &str, source: &Source<'_>, scan: &mut Scan) {
    let is_image = text.contains("<svg");
    let found = if is_image { ACTIVE.first(text) } else { None };
    if let Some(found) = found {
        let row = text.get(..found.start).map_or(0, |before| before.matches('\n').count());
        scan.report(source, row, Code::ActiveContent, around(text, found.start));
    }
}

/// Looks at a PDF: scripts that run when it is opened.
pub fn scan_pdf(path: &str, bytes: &[u8], scan: &mut Scan) {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(4 * 1024 * 1024)).unwrap_or_default());
    if PDF_ACTION.is_in(&text) && PDF_SCRIPT.is_in(&text) {
        scan.add(Finding::new(Code::ActivePage, path, 1, "a script runs when the document is opened"));
    }
}

fn around(text: &str, offset: usize) -> &str {
    let rest = text.get(offset..).unwrap_or_default();
    let end = rest.char_indices().nth(160).map_or(rest.len(), |(end, _)| end);
    rest.get(..end).unwrap_or_default()
}
