//! What the functions of programs return to other programs that are used with them.
//!
//! Only programs that may return something private are read for it, each once.

use crate::code::{self, Statements};
use crate::file::text;
use crate::flow::Taint;
use crate::input::{Content, File};
use crate::language::{self, Language};
use crate::pattern::patterns;
use crate::scan::{Setting, Source};
use crate::syntax::Grammar;
use std::collections::BTreeMap;

patterns! {
    /// What a program must hold to return something private.
    PRIVATE = r"(environ|process\.env|\.ssh|\.aws|\.env\b|credential|cookies|keychain|wallet|\.netrc|\.npmrc|id_rsa|history)";
    /// What a program must hold to send anything.
    NETWORK = r"(requests|httpx|aiohttp|urllib|http|socket|smtplib|ftplib|paramiko|telnetlib|boto3|pycurl|\bnet\b|dgram|\btls\b|axios|\bgot\b|undici|superagent|fetch|navigator|\bws\b|__import__|import_module|require[ ]*\(([^'\x22\n)]|[^\n)]*\+))";
}

/// What is known of all programs before one of them is looked at.
#[derive(Debug, Default)]
pub struct Programs {
    /// What functions return, by name, where that is private.
    pub returns: BTreeMap<String, Taint>,
    /// The programs that were read for that already, by path.
    pub known: BTreeMap<String, Statements>,
}

impl Programs {
    /// Reads the programs among these files.
    pub fn read<'a>(files: impl Iterator<Item = &'a File<'a>>) -> Self {
        let programs: Vec<(&str, String, Grammar)> = files.filter_map(program_of).collect();
        let mut read = Self::default();
        // A program alone follows its own functions.
        if programs.len() < 2 {
            return read;
        }
        let sends: Vec<&str> =
            programs.iter().filter(|(_, text, _)| NETWORK.is_in(text)).map(|(path, ..)| *path).collect();
        // What a program returns matters to others alone.
        let is_used = |path: &str| sends.iter().any(|sender| *sender != path);
        for (path, text, grammar) in
            programs.iter().filter(|(path, text, _)| is_used(path) && PRIVATE.is_in(text))
        {
            if let Ok(statements) = code::read(*grammar, text) {
                let source = Source::new(path, 1, Setting::Script);
                read.returns.extend(code::returns(*grammar, &statements, &source));
                read.known.insert((*path).to_owned(), statements);
            }
        }
        read
    }

    /// What is known, for those who look at some of the files: what was read of others stays here.
    pub fn of_part(&mut self, files: &[File<'_>]) -> Self {
        let own = files.iter().filter_map(|file| self.known.remove_entry(file.path));
        Self { known: own.collect(), returns: self.returns.clone() }
    }
}

/// A program's path, text and language.
fn program_of<'a>(file: &File<'a>) -> Option<(&'a str, String, Grammar)> {
    let Content::Bytes(bytes) = file.content else { return None };
    let is_program = [".py", ".js", ".mjs", ".cjs", ".ts"].iter().any(|end| file.path.ends_with(end));
    let text = is_program.then(|| text(bytes)).flatten()?;
    match language::of_file(file.path, &text) {
        Language::Parsed(grammar) if grammar != Grammar::Shell => Some((file.path, text, grammar)),
        _ => None,
    }
}
