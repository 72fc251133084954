//! Lures: locked archives, commands on other people's pages, programs that must first be fetched and run.

use crate::address::{self, Place};
use crate::codes::Code;
use crate::pattern::patterns;

patterns! {
    PACKAGE = r"(https?://[^ \t\n)]*(\.(zip|rar|7z|exe|msi|dmg|pkg|scr|iso|tar\.gz|appimage)\b|/releases/download/)|",
        r"\b[a-z0-9_-]{2,40}\.(zip|rar|7z|exe|msi|dmg|pkg|scr)\b)";
    /// What every package's name or address holds.
    ENDING = r"(\.(zip|rar|7z|exe|msi|dmg|pkg|scr|iso|tar\.gz|appimage)\b|/releases/download/)";
    PASSWORD = r"((extract|unzip|unpack|unlock|decompress|archive|\.zip|\.rar|\.7z|\.exe)[^\n]{0,80}\b(pass|password|passcode|passphrase|pwd)\b[ *]{0,3}[:=`(\x22'][ *`:=(\x22']{0,6}[a-z0-9!@#_.-]{2,}|",
        r"\b(archive|zip|rar|extraction) (pass|password|passcode|pwd)\b[ *]{0,4}[:=`(\x22']|",
        r"\b(pass|password|passcode|pwd)\b[ *]{0,3}[:=`(\x22'][ *`:=(\x22']{0,6}[a-z0-9!@#_.-]{2,}[^\n]{0,40}\b(extract|unzip|unpack|archive)|",
        r"\bextract(ed)?\b[^\n]{0,20}\b(using|with|by)\b[ (]{0,3}(pass[a-z]*|pwd)?[ ]{0,2}[:`\x22'][ `*\x22']{0,3}[a-z0-9!@#_.-]{3,20}\b[`*\x22')])";
    FETCH = r"\b(download|get|grab|fetch|obtain)\b";
    RUN_COMMAND = r"\b(run|execute|paste|copy|enter|type|launch)\b[^\n]{0,80}\b(command|script|installer|code|snippet|terminal|shell|powershell)\b";
    VAGUE_PAGE = r"\b(visit|open|go to|see|follow|use)\b[ \[]{0,3}(this|the following|the) (page|link|site|url|snippet|guide|instructions?)[^\n]{0,160}https?://[^\n]{0,200}\b(copy|execute|run|paste)\b[^\n]{0,60}\bcommand\b[^\n]{0,60}\b(terminal|shell|powershell|console)\b";
    DEMAND = r"\b(requires?|required|must be|mandatory|critical|important|before (using|you|proceeding|running)|will not (work|function)|won't work|prerequisites?|needs? to be (installed|running))\b";
    UNPACK = r"\b(extract|unzip|unpack|install)\b";
    START = r"\b(run|launch|execute|start|open|double-click)\b[^\n]{0,30}\b(it|executable|\.exe|exe|installer|[a-z]*(agent|tool|cli|provider|core|utility|app|program|file|setup|driver|helper|client|service))\b";
    /// The address of a program that needs no unpacking.
    PROGRAM = r"https?://[^ \t\n)]*\.(exe|msi|dmg|pkg|scr|appimage|bat|cmd|vbs)\b";
    /// A command is to be taken from somewhere.
    TAKE = r"\b(copy|paste|run|execute|enter|type)\b[^\n]{0,60}\b(commands?|script|snippet|code|line)\b";
    PROMPT = r"\b(terminal|powershell|console|command prompt|command line)\b";
    /// Something is to be fetched and installed, and nothing works before that.
    INSTALL = r"\b(download|get|grab|fetch|obtain)\b[^\n]{0,60}\binstall(er)?\b|\binstall\b[^\n]{0,60}\b(from|via|here|at)\b|\bdownload\b[^\n]{0,60}\b(utility|tool|app|agent|client|cli|driver|helper|runtime|core|executable|binary)\b";
    CONDITION = r"\b((must|needs? to|has to|have to) be (installed|downloaded|running|set up)|(will|does|do) not (work|function|run)|(won't|doesn't|don't) (work|function|run)|",
        r"before (using|you (use|start|begin|proceed)|proceeding)|(is|are) (mandatory|required) (to|for|before))\b";
}

/// Whether a text may name a package; most name none, and their lines need no second look.
pub fn may_name_package(text: &str) -> bool {
    ENDING.is_in(text)
}

/// Whether a line names an address or a package at all; all lures do.
pub fn is_candidate(text: &str) -> bool {
    text.contains("://") || names_package(text)
}

/// Whether a line names a package.
fn names_package(text: &str) -> bool {
    ENDING.is_in(text) && PACKAGE.is_in(text)
}

/// What a line that names an address shows, with its neighbours.
///
/// The neighbours are asked for only where the line itself names a package or a place that anybody may fill: most lines that name an
/// address do not.
pub fn check(text: &str, window: impl FnOnce() -> String) -> Option<Code> {
    let is_package = names_package(text);
    let is_left = |url: &str| matches!(address::place(url), Place::Paste | Place::Short);
    let is_anyones = address::urls(text).any(|(_, url)| is_left(url) || address::is_free_hosting(url));
    let window = if is_package || is_anyones { window() } else { String::new() };
    let code = if is_package { package(text, &window) } else { None };
    code.or_else(|| page(text, &window, is_left))
}

/// A package that is to be fetched, unpacked and run.
fn package(text: &str, window: &str) -> Option<Code> {
    if !FETCH.is_in(window) {
        return None;
    }
    if PASSWORD.is_in(window) {
        return Some(Code::PasswordArchive);
    }
    let is_linked = address::urls(text).any(|(_, url)| names_package(url));
    let is_ready = UNPACK.is_in(window) || PROGRAM.is_in(text);
    (is_linked && is_ready && START.is_in(window) && DEMAND.is_in(window)).then_some(Code::FakePrerequisite)
}

/// A page whose commands are to be run, or that a condition of the skill is to be fetched from.
fn page(text: &str, window: &str, is_left: impl Fn(&str) -> bool) -> Option<Code> {
    let is_at = |test: &dyn Fn(&str) -> bool| address::urls(text).any(|(_, url)| test(url));
    let is_elsewhere = is_at(&|url| is_left(url) || address::place(url) == Place::Bare);
    if is_elsewhere && RUN_COMMAND.is_in(text) || VAGUE_PAGE.is_in(text) {
        return Some(Code::PasteCommand);
    }
    // The steps may stand on lines of their own.
    if is_at(&is_left) && TAKE.is_in(window) && PROMPT.is_in(window) {
        return Some(Code::PasteCommand);
    }
    let is_condition = is_at(&address::is_free_hosting) && INSTALL.is_in(window) && CONDITION.is_in(window);
    is_condition.then_some(Code::FakePrerequisite)
}
