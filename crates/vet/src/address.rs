//! Addresses: what kind of place a URL names.
//!
//! Kinds of hosts are data, one list a kind; no list names anybody's campaign.

use crate::pattern::patterns;
use std::ops::RangeInclusive;

/// Services where anybody leaves text for others.
const PASTE_HOSTS: &[&str] = &[
    "pastebin.com",
    "paste.ee",
    "hastebin.com",
    "ghostbin.com",
    "dpaste.com",
    "dpaste.org",
    "rentry.co",
    "rentry.org",
    "glot.io",
    "ix.io",
    "sprunge.us",
    "termbin.com",
    "controlc.com",
    "justpaste.it",
    "0x0.st",
    "transfer.sh",
    "paste.rs",
    "pastes.io",
    "privatebin.net",
    "paste.mozilla.org",
    "bpa.st",
    "pst.innomi.net",
    "jsbin.com",
    "file.io",
    "gofile.io",
    "anonfiles.com",
    "catbox.moe",
    "temp.sh",
    "bashupload.com",
    "mediafire.com",
    "mega.nz",
    "sendspace.com",
    "wetransfer.com",
    "workupload.com",
    "pixeldrain.com",
    "telegra.ph",
    "write.as",
    "notes.io",
];

/// Services that show whatever anybody sends them, and tunnels to somebody's own machine.
const DROP_HOSTS: &[&str] = &[
    "webhook.site",
    "requestbin.com",
    "requestbin.net",
    "pipedream.net",
    "beeceptor.com",
    "requestcatcher.com",
    "ngrok.io",
    "ngrok.app",
    "ngrok-free.app",
    "trycloudflare.com",
    "loca.lt",
    "localhost.run",
    "serveo.net",
    "interact.sh",
    "oast.fun",
    "oast.pro",
    "oast.live",
    "oast.me",
    "oast.site",
    "oast.online",
    "oastify.com",
    "burpcollaborator.net",
    "canarytokens.com",
    "hookbin.com",
    "postb.in",
    "ptsv2.com",
    "ptsv3.com",
    "dnslog.cn",
    "ceye.io",
    "mockbin.org",
    "webhookrelay.com",
    "smee.io",
    "typedwebhook.tools",
];

/// Services that hide where an address leads.
const SHORTENERS: &[&str] = &[
    "bit.ly",
    "tinyurl.com",
    "t.co",
    "goo.gl",
    "is.gd",
    "cutt.ly",
    "rb.gy",
    "shorturl.at",
    "ow.ly",
    "tiny.cc",
];

/// Hosts below which anybody puts pages and files, under a name that says nothing of who did.
const FREE_HOSTS: &[&str] = &[
    "vercel.app",
    "netlify.app",
    "pages.dev",
    "workers.dev",
    "r2.dev",
    "web.app",
    "firebaseapp.com",
    "herokuapp.com",
    "onrender.com",
    "fly.dev",
    "up.railway.app",
    "surge.sh",
    "glitch.me",
    "replit.app",
    "repl.co",
    "carrd.co",
    "notion.site",
    "framer.website",
    "webflow.io",
    "wixsite.com",
    "weebly.com",
    "blogspot.com",
    "sites.google.com",
    "drive.google.com",
    "dropbox.com",
    "cdn.discordapp.com",
];

/// What kind of place an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// This machine, or a documentation address.
    Local,
    /// A publisher's installer: TLS, a named host, and a path that says so.
    Installer,
    /// A named host over TLS.
    Named,
    /// A host without TLS.
    Plain,
    /// It cannot be told from the text.
    Unknown,
    /// A service that hides where the address leads.
    Short,
    /// A bare IP address.
    Bare,
    /// A service where anybody leaves text or files for others.
    Paste,
    /// A service where anybody collects what others send.
    Drop,
}

patterns! {
    /// An address with its scheme.
    URL = r#"(https?|ftp)://[^ \t\r\n"'<>`\\|)\]}]+"#;
}

/// The addresses in a text, with their offsets.
pub fn urls(text: &str) -> impl Iterator<Item = (usize, &str)> {
    URL.all(text)
}

/// The first address in a text; a host without a scheme counts, as `curl` takes it.
pub fn target(text: &str) -> Option<&str> {
    if let Some((_, url)) = urls(text).next() {
        return Some(url);
    }
    let word = text.trim();
    let host = word.split(['/', ':', '?']).next().unwrap_or_default();
    (host.contains('.') && is_host(host)).then_some(word)
}

/// The host of an address, without user and port.
pub fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match authority.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// What kind of place an address names.
pub fn place(url: &str) -> Place {
    let host = host(url).to_ascii_lowercase();
    if host.is_empty() || url.contains('\u{fffc}') && !is_host(&host) {
        return Place::Unknown;
    }
    if is_local(&host) {
        return Place::Local;
    }
    let is_of = |hosts: &[&str]| hosts.iter().any(|known| is_below(&host, known));
    let lower = url.to_ascii_lowercase();
    let raw_gist = is_below(&host, "gist.githubusercontent.com");
    match () {
        () if is_of(DROP_HOSTS) => Place::Drop,
        () if is_of(PASTE_HOSTS) || raw_gist => Place::Paste,
        () if is_bare(&host) => Place::Bare,
        () if is_of(SHORTENERS) => Place::Short,
        () if host.starts_with('$') || host.contains('{') => Place::Unknown,
        () if lower.starts_with("http://") || lower.starts_with("ftp://") => Place::Plain,
        () if is_installer(&lower, &host) => Place::Installer,
        () => Place::Named,
    }
}

/// Whether anybody may have put there what an address names, without saying who.
pub fn is_free_hosting(url: &str) -> bool {
    let host = host(url).to_ascii_lowercase();
    FREE_HOSTS.iter().any(|known| is_below(&host, known))
}

/// Whether a host is an IP address: dotted, as one number, or with colons.
pub fn is_bare(host: &str) -> bool {
    let parts: Vec<&str> = host.split('.').collect();
    let is_number = |part: &&str| {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        !digits.is_empty()
            && digits.len() <= 10
            && digits.bytes().all(|b| b.is_ascii_hexdigit())
            && (part.starts_with("0x") || digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let is_four = (parts.len() == 4 || parts.len() == 1) && parts.iter().all(is_number);
    is_four || host.matches(':').count() > 1
}

fn is_local(host: &str) -> bool {
    host == "localhost"
        || host == "0.0.0.0"
        || host == "::1"
        || host.starts_with("127.")
        || host.starts_with("10.")
        || host.starts_with("192.168.")
        || host.starts_with("169.254.")
        || is_in_second(host, "172.", 16..=31)
        || is_in_second(host, "100.", 64..=127)
        || ["host.docker.internal", "local", "localhost", "internal", "lan"]
            .iter()
            .any(|known| is_below(host, known))
}

/// Whether an IP address begins like this and its second number is among these: networks that lead nowhere outside.
fn is_in_second(host: &str, first: &str, second: RangeInclusive<u8>) -> bool {
    let rest = host.strip_prefix(first).filter(|_| is_bare(host));
    let number = rest.and_then(|rest| rest.split('.').next()?.parse().ok());
    number.is_some_and(|number| second.contains(&number))
}

/// Whether an address says that it installs something: `get.example.org`, `…/install.sh`, or a host's front door.
fn is_installer(url: &str, host: &str) -> bool {
    let path =
        url.split_once("://").map_or(url, |(_, rest)| rest).split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once('/').map_or("", |(_, path)| path.trim_end_matches('/'));
    let words = ["install", "setup", "bootstrap", "rustup", "get-", "get_", "init", "onboard", "quickstart"];
    let last = path.rsplit('/').next().unwrap_or_default();
    path.is_empty()
        || words.iter().any(|word| last.contains(word))
        || ["get.", "install.", "sh.", "cli.", "dl.", "download."]
            .iter()
            .any(|prefix| host.starts_with(prefix))
        || path.ends_with("install")
        || path == "sh"
        || path == "cli"
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expected: Place) {
        assert_eq!(place(url), expected, "{url}");
    }

    #[test]
    fn places_are_told_apart_by_their_form() {
        check("https://bun.sh/install", Place::Installer);
        check("https://tool.example.org", Place::Installer);
        check("https://example.org/x", Place::Named);
        check("http://example.org/install.sh", Place::Plain);
        check("http://203.0.113.7/a", Place::Bare);
        check("http://3405803783/a", Place::Bare);
        check("http://0xcb.0x00.0x71.0x07/a", Place::Bare);
        check("https://user@[2001:db8::1]:80/", Place::Bare);
        check("https://pastebin.com/raw/x", Place::Paste);
        check("https://abc.webhook.site/1", Place::Drop);
        check("https://notwebhook.site/1", Place::Named);
        check("http://localhost:8080/run", Place::Local);
        check("http://172.20.0.3/a", Place::Local);
        check("http://172.32.0.3/a", Place::Bare);
        check("http://100.100.0.3/a", Place::Local);
        check("https://$HOST/x", Place::Unknown);
    }
}
