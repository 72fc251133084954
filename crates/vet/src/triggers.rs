//! Commands in texts that are no scripts: prose, configuration, code spans, languages that are not parsed.
//!
//! Only what follows a word that begins such a command is parsed; the rest is left alone.

use crate::address::{self, Place};
use crate::codes::Code;
use crate::pattern::patterns;
use crate::scan::{Scan, Source};
use crate::shell;

/// The longest command that is taken out of a line.
const MAX_COMMAND: usize = 4_096;

patterns! {
    /// What begins a command that is worth a look, with what must stand behind it on the line.
    COMMAND = r"(^|[^a-z0-9_./-])((sudo[ ]+)?(curl|wget|echo|printf|base64|eval|bash|sh|zsh|cat|nc|ncat|python3?|env|printenv|tar)[ ]+[^\n]*",
        r"(\|[ ]*(sudo[ ]+)?(/[a-z/]*)?(bash|sh|zsh|dash|ksh|python3?|node|perl|ruby|php|osascript|curl|nc|ncat)\b|<\((curl|wget)|\$\((curl|wget)|`(curl|wget)|/dev/tcp/|-e[ ]+/bin/|<<<))";
    /// PowerShell that runs what it fetches.
    POWERSHELL = r"(\b(iex|invoke-expression)\b[^\n]{0,200}(downloadstring|downloaddata|\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod)|",
        r"(\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|downloadstring)[^\n]{0,300}\|[ ]*(iex|invoke-expression)\b)";
    /// Windows that fetches a file and starts it.
    STARTED = r"((downloadfile|-outfile|start-bitstransfer|bitsadmin[^\n]{0,40}/transfer|certutil[^\n]{0,40}-urlcache)[^\n]{0,400}(start-process|invoke-item|[;&|][ ]*start[ ]|[;&][ ]*&[ ]|[;&][ ]*[.]?[\\%$]|[;&][ ]*cmd[ ])|",
        r"\b(mshta|regsvr32)(\.exe)?\b[^\n]{0,80}https?://)";
    /// Programs of Windows that run a page.
    HOSTED = r"\b(mshta|regsvr32)(\.exe)?\b";
    /// PowerShell that runs what it decodes.
    ENCODED = r"\b(powershell|pwsh)(\.exe)?\b[^\n]{0,200}[ ]-e(nc|ncodedcommand|c)?[ ]+[a-z0-9+/=]{40,}";
}

/// Looks for commands in every line of a text.
pub fn scan_lines(text: &str, source: &Source<'_>, scan: &mut Scan) {
    for (row, line) in text.lines().enumerate().filter(|(_, line)| is_candidate(line)) {
        scan_line(line, row, source, scan);
    }
}

/// Whether a line may hold a command.
pub fn is_candidate(line: &str) -> bool {
    line.bytes().any(|byte| matches!(byte, b'|' | b'<' | b'$' | b'/' | b'`' | b'-'))
        && (COMMAND.is_in(line) || POWERSHELL.is_in(line) || STARTED.is_in(line) || ENCODED.is_in(line))
}

/// Looks for commands in one line.
pub fn scan_line(line: &str, row: usize, source: &Source<'_>, scan: &mut Scan) {
    if let Some(found) = COMMAND.group(line, 2) {
        let before = line.get(..found.start).unwrap_or_default();
        let command = unquoted(line.get(found.start..end_of(line, found.end)).unwrap_or_default(), before);
        let at = Source { line: source.at(row), ..*source };
        shell::scan(&command, &at, scan);
    }
    powershell(line, row, source, scan);
}

/// Looks for PowerShell in one line.
pub fn powershell(line: &str, row: usize, source: &Source<'_>, scan: &mut Scan) {
    if ENCODED.is_in(line) {
        scan.report(source, row, Code::DecodeToInterpreter, line);
    }
    if STARTED.is_in(line) {
        started(line, row, source, scan);
    }
    if POWERSHELL.is_in(line) {
        let place = address::urls(line).map(|(_, url)| address::place(url)).max().unwrap_or(Place::Unknown);
        let code = match place {
            Place::Local => return,
            Place::Installer | Place::Unknown => Code::InstallerPipe,
            // PowerShell installers are named `….ps1`, which says as much as `install`.
            Place::Named if line.contains(".ps1") => Code::InstallerPipe,
            _ => Code::PipeToInterpreter,
        };
        scan.report(source, row, code, line);
    }
}

/// A file that was fetched is started; from a named host over TLS that is how programs are installed.
fn started(line: &str, row: usize, source: &Source<'_>, scan: &mut Scan) {
    let place = address::urls(line).map(|(_, url)| address::place(url)).max().unwrap_or(Place::Unknown);
    let is_page = HOSTED.is_in(line);
    let code = match place {
        Place::Local => return,
        Place::Installer | Place::Named | Place::Unknown if !is_page => return,
        Place::Plain if !is_page => Code::InstallerPipe,
        _ => Code::PipeToInterpreter,
    };
    scan.report(source, row, code, line);
}

/// Where a command ends whose last known word ends at `end`: options and operators belong to it, words of a sentence do not.
fn end_of(line: &str, end: usize) -> usize {
    let rest = line.get(end..).unwrap_or_default();
    let goes_on =
        rest.trim_start().starts_with(['-', '&', ';', '|', '<', '>', '"', '\'', '`', ')', '$', '/', ' ']);
    if goes_on || !rest.starts_with(' ') { line.len() } else { end }
}

/// A command without what ends the quotation or code span it stands in.
fn unquoted(command: &str, before: &str) -> String {
    let end =
        (0..=command.len().min(MAX_COMMAND)).rev().find(|end| command.is_char_boundary(*end)).unwrap_or(0);
    let command = command.get(..end).unwrap_or_default();
    let quote = ['`', '"'].into_iter().find(|quote| before.matches(*quote).count() % 2 == 1);
    match quote {
        Some('`') => command.split('`').next().unwrap_or_default().to_owned(),
        // In JSON and the like quotation marks inside are escaped.
        Some('"') => {
            let escaped = command.replace("\\\"", "\u{1}");
            escaped.split('"').next().unwrap_or_default().replace('\u{1}', "\"")
        }
        _ => command.to_owned(),
    }
}
