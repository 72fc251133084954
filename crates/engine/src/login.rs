//! Login links: how the person at this machine gets in to the page of a server that runs here.
//!
//! A server keeps a key, for as long as it runs, in a file that this user alone can read. Whoever reads it makes links without
//! asking anybody; each lets somebody in once, and not for long. What a link opens, and which were used, is the server's to know.

mod key_file;

use std::net::SocketAddr;
use std::time::Duration;

use guild_ledger::{Timestamp, mac};
use guild_manifest::Digest;
use guild_sandbox::random_bytes;

use crate::{Code, Envelope, Places, Refusal, reply};
use key_file::KeyFile;

/// How long a link lets somebody in.
const LINK_LASTS: Duration = Duration::from_secs(10 * 60);

/// Where the page is, below the server's address.
const NAME: &str = "guild.localhost";

/// The key by which a server knows its links.
#[derive(Debug)]
pub struct LoginKey {
    kept: KeyFile,
}

impl LoginKey {
    /// Makes one for a server at this address, and keeps it for as long as the value lives. Nothing where a browser on this machine
    /// could not reach the server by its own name.
    pub fn make(places: &Places, address: SocketAddr) -> Result<Option<Self>, Refusal> {
        let ip = address.ip();
        if !ip.is_loopback() && !ip.is_unspecified() {
            return Ok(None);
        }
        let key = random_bytes::<32>().map_err(|error| unusable(&error))?;
        let page = format!("http://{NAME}:{}", address.port());
        let directory = places.state()?.join("servers");
        let kept = KeyFile::make(&directory, address.port(), page, key).map_err(|error| unusable(&error))?;
        Ok(Some(Self { kept }))
    }

    /// A new link.
    pub fn link(&self, now: Timestamp) -> Result<String, Refusal> {
        link(&self.kept, now)
    }

    /// Whether a link of this key was made for this moment; it is known by its digest from then on.
    pub fn knows(&self, now: Timestamp, text: &str) -> Option<Digest> {
        let (rest, sign) = text.rsplit_once('.')?;
        let (ends, _) = rest.split_once('.')?;
        let ends: u64 = ends.parse().ok()?;
        // Digests are compared, so that the time it takes tells nothing about the sign.
        let is_ours = Digest::of(sign.as_bytes()) == Digest::of(signed(&self.kept.key, rest).as_bytes());
        (is_ours && now.millis() < ends).then(|| Digest::of(text.as_bytes()))
    }
}

/// `login`: a link to the page of the server that runs here, or of the one at this port.
pub fn login(places: &Places, now: Timestamp, port: Option<u16>) -> Envelope<reply::Login> {
    let made = || -> Result<reply::Login, Refusal> {
        let running = KeyFile::running(&places.state()?.join("servers")).map_err(|error| unusable(&error))?;
        let mut asked = running.iter().filter(|server| port.is_none_or(|port| server.port == port));
        let (Some(server), None) = (asked.next(), asked.next()) else {
            return Err(none_or_many(&running, port));
        };
        Ok(reply::Login { link: Some(link(server, now)?), page: Some(server.page.clone()) })
    };
    match made() {
        Ok(made) => Envelope::ok(made),
        Err(refusal) => refusal.into_envelope(),
    }
}

fn link(kept: &KeyFile, now: Timestamp) -> Result<String, Refusal> {
    let nonce = random_bytes::<16>().map_err(|error| unusable(&error))?;
    let rest = format!("{}.{}", now.after(LINK_LASTS).millis(), hex(&nonce));
    Ok(format!("{}/login?link={rest}.{}", kept.page, signed(&kept.key, &rest)))
}

/// What only the key's holder can write under a text.
fn signed(key: &[u8; 32], text: &str) -> String {
    hex(&mac(key, &[b"guild login link 1 ", text.as_bytes()]))
}

fn none_or_many(running: &[KeyFile], port: Option<u16>) -> Refusal {
    let ports: Vec<String> = running.iter().map(|server| server.port.to_string()).collect();
    let message = match (ports.as_slice(), port) {
        ([], _) => "no server of yours runs here; `guild serve` starts one".to_owned(),
        (ports, Some(port)) => format!("no server of yours runs at port {port}, but at {}", ports.join(", ")),
        (ports, None) => {
            format!("several servers of yours run here; say `--port` with one of {}", ports.join(", "))
        }
    };
    Refusal::new(Code::ServerNotRunning, message)
}

fn unusable(error: &std::io::Error) -> Refusal {
    Refusal::new(Code::WriteFailed, format!("the key for login links cannot be made or read: {error}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Places;

    fn places(directory: &std::path::Path) -> Places {
        Places { state: Some(directory.to_owned()), ..Places::default() }
    }

    fn text(link: &str) -> &str {
        link.split_once("link=").unwrap().1
    }

    #[test]
    fn a_link_is_known_until_its_time_is_up_and_no_other_is() {
        let home = tempfile::tempdir().unwrap();
        let key = LoginKey::make(&places(home.path()), "127.0.0.1:7878".parse().unwrap()).unwrap().unwrap();
        let now: Timestamp = "2026-11-16T09:00:00.000Z".parse().unwrap();
        let link = key.link(now).unwrap();
        assert!(link.starts_with("http://guild.localhost:7878/login?link="), "{link}");
        let later = |minutes: u64| now.after(Duration::from_secs(60 * minutes));
        assert!(key.knows(now, text(&link)).is_some());
        assert!(key.knows(later(9), text(&link)).is_some());
        assert!(key.knows(later(10), text(&link)).is_none());
        let longer = format!("9{}", text(&link));
        for wrong in ["", ".", "..", "1.2.3", &longer, &text(&link)[..text(&link).len() - 1]] {
            assert!(key.knows(now, wrong).is_none(), "{wrong}");
        }
        let other = LoginKey::make(&places(home.path()), "127.0.0.1:7879".parse().unwrap()).unwrap().unwrap();
        assert!(other.knows(now, text(&link)).is_none());
    }

    #[test]
    fn a_link_is_made_for_a_server_that_runs() {
        let home = tempfile::tempdir().unwrap();
        let (places, now) = (places(home.path()), Timestamp::from_millis(0));
        let told = |port| login(&places, now, port);
        assert_eq!(told(None).code, Code::ServerNotRunning);
        let key = LoginKey::make(&places, "127.0.0.1:7878".parse().unwrap()).unwrap().unwrap();
        let link = told(None).data.link.unwrap();
        assert!(key.knows(now, text(&link)).is_some());
        assert_eq!(told(Some(1)).message, "no server of yours runs at port 1, but at 7878");
        let other = LoginKey::make(&places, "[::1]:7879".parse().unwrap()).unwrap().unwrap();
        assert_eq!(
            told(None).message,
            "several servers of yours run here; say `--port` with one of 7878, 7879"
        );
        assert!(other.knows(now, text(&told(Some(7879)).data.link.unwrap())).is_some());
        drop((key, other));
        assert_eq!(told(Some(7878)).code, Code::ServerNotRunning);
        assert!(LoginKey::make(&places, "192.0.2.7:7878".parse().unwrap()).unwrap().is_none());
    }
}
