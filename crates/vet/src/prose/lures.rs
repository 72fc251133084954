//! Lures: locked archives, commands on other people's pages, programs that must first be fetched and run.

use crate::address::{self, Place};
use crate::codes::Code;
use crate::pattern::patterns;

patterns! {
    PACKAGE = r"(https?://[^ \t\n)]*(\.(zip|rar|7z|exe|msi|dmg|pkg|scr|iso|tar\.gz|appimage)\b|/releases/download/)|",
        r"\b[a-z0-9_-]{2,40}\.(zip|rar|7z|exe|msi|dmg|pkg|scr)\b)";
    PASSWORD = r"((extract|unzip|unpack|unlock|decompress|archive|\.zip|\.rar|\.7z|\.exe)[^\n]{0,80}\b(pass|password|passcode|passphrase|pwd)\b[ *]{0,3}[:=`(\x22'][ *`:=(\x22']{0,6}[a-z0-9!@#_.-]{2,}|",
        r"\b(archive|zip|rar|extraction) (pass|password|passcode|pwd)\b[ *]{0,4}[:=`(\x22']|",
        r"\b(pass|password|passcode|pwd)\b[ *]{0,3}[:=`(\x22'][ *`:=(\x22']{0,6}[a-z0-9!@#_.-]{2,}[^\n]{0,40}\b(extract|unzip|unpack|archive)|",
        r"\bextract(ed)?\b[^\n]{0,20}\b(using|with|by)\b[ (]{0,3}(pass[a-z]*|pwd)?[ ]{0,2}[:`\x22'][ `*\x22']{0,3}[a-z0-9!@#_.-]{3,20}\b[`*\x22')])";
    FETCH = r"\b(download|get|grab|fetch|obtain)\b";
    RUN_COMMAND = r"\b(run|execute|paste|copy|enter|type|launch)\b[^\n]{0,80}\b(command|script|installer|code|snippet|terminal|shell|powershell)\b";
    VAGUE_PAGE = r"\b(visit|open|go to|see|follow|use)\b[ \[]{0,3}(this|the following|the) (page|link|site|url|snippet|guide|instructions?)[^\n]{0,160}https?://[^\n]{0,200}\b(copy|execute|run|paste)\b[^\n]{0,60}\bcommand\b[^\n]{0,60}\b(terminal|shell|powershell|console)\b";
    DEMAND = r"\b(requires?|required|must be|mandatory|critical|important|before (using|you|proceeding|running)|will not (work|function)|won't work|prerequisites?|needs? to be (installed|running))\b";
    UNPACK = r"\b(extract|unzip|unpack|install)\b";
    START = r"\b(run|launch|execute|start|open|double-click)\b[^\n]{0,30}\b(executable|\.exe|exe|installer|[a-z]*(agent|tool|cli|provider|core|utility|app|program|file|setup|driver|helper|client|service))\b";
}

/// Whether a line names an address or a package at all; all lures do.
pub fn is_candidate(text: &str) -> bool {
    text.contains("://") || PACKAGE.is_in(text)
}

/// What a line that names an address shows, with its neighbours.
///
/// The neighbours are asked for only where the line itself names a package: most lines that name an address do not.
pub fn check(text: &str, window: impl FnOnce() -> String) -> Option<Code> {
    let leads_astray =
        |(_, url): (usize, &str)| matches!(address::place(url), Place::Paste | Place::Short | Place::Bare);
    let window = if PACKAGE.is_in(text) { window() } else { String::new() };
    if FETCH.is_in(&window) {
        if PASSWORD.is_in(&window) {
            return Some(Code::PasswordArchive);
        }
        let is_linked = address::urls(text).any(|(_, url)| PACKAGE.is_in(url));
        if is_linked && [&UNPACK, &START, &DEMAND].iter().all(|pattern| pattern.is_in(&window)) {
            return Some(Code::FakePrerequisite);
        }
    }
    let is_elsewhere =
        address::urls(text).any(leads_astray) && RUN_COMMAND.is_in(text) || VAGUE_PAGE.is_in(text);
    is_elsewhere.then_some(Code::PasteCommand)
}
