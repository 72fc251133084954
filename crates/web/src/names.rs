//! Whom a request is meant for, and which page it comes from.
//!
//! A page of a stranger can have its own name point at this machine, and then ask in the name of whoever reads it. Its requests say
//! that name as their host, or the page as their origin; neither is known here.

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};
use guild_engine::{Code, Refusal};

use std::net::SocketAddr;

/// The names of the loopback; the last is where the page lives.
const LOOPBACK: [&str; 4] = ["localhost", "127.0.0.1", "::1", "guild.localhost"];

/// The names that count.
#[derive(Debug)]
pub(crate) struct Names {
    hosts: Vec<String>,
    origins: Vec<String>,
    port: u16,
}

impl Names {
    /// Those of the loopback, the address itself, and those that were named.
    pub(crate) fn of(address: SocketAddr, hosts: &[String], origins: &[String]) -> Self {
        let named = hosts.iter().map(|host| host.to_ascii_lowercase());
        let own = LOOPBACK.map(str::to_owned).into_iter().chain([address.ip().to_string()]);
        let origins = origins.iter().map(|origin| origin.trim_end_matches('/').to_ascii_lowercase());
        Self { hosts: own.chain(named).collect(), origins: origins.collect(), port: address.port() }
    }

    /// Lets a request pass that is meant for this server and comes from no foreign page.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = host(uri, headers).filter(|host| self.hosts.contains(&bare(host)));
        if host.is_none() {
            let message = "the request is meant for another host; `guild serve --host NAME` adds a name";
            return Err(Refusal::new(Code::HostNotAllowed, message));
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        if origins.all(|origin| origin.to_str().is_ok_and(|origin| self.knows_page(origin))) {
            return Ok(());
        }
        let message = "the request comes from a page that is not known; `guild serve --origin URL` adds one";
        Err(Refusal::new(Code::OriginNotAllowed, message))
    }

    /// Whether a page is the server's own, or was named.
    fn knows_page(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let own = origin.strip_prefix("http://").and_then(|rest| rest.parse::<Authority>().ok());
        let is_own = |authority: Authority| {
            authority.port_u16().unwrap_or(80) == self.port && self.hosts.contains(&bare(&authority))
        };
        self.origins.contains(&origin) || own.is_some_and(is_own)
    }
}

/// The one host that a request names.
fn host(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let mut named = headers.get_all(HOST).iter();
    let first = named.next().map(|host| host.to_str().ok().and_then(|host| host.parse().ok()));
    match (first, named.next(), uri.authority()) {
        (Some(host), None, _) => host,
        (None, _, Some(authority)) => Some(authority.clone()),
        _ => None,
    }
}

fn bare(authority: &Authority) -> String {
    authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[track_caller]
    fn check(host: &[&'static str], origin: Option<&'static str>, expected: Option<Code>) {
        let address: SocketAddr = "192.0.2.7:7878".parse().unwrap();
        let names = Names::of(address, &["Hall.example".to_owned()], &["https://page.example/".to_owned()]);
        let mut headers = HeaderMap::new();
        for value in host {
            headers.append(HOST, HeaderValue::from_static(value));
        }
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        let found = names.check(&Uri::from_static("/mcp"), &headers).err().map(|refusal| refusal.code);
        assert_eq!(found, expected, "{host:?} {origin:?}");
    }

    #[test]
    fn a_request_is_meant_for_this_server() {
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:7878", "[::1]:7878", "192.0.2.7", "hall.example"]
        {
            check(&[host], None, None);
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b", "@"] {
            check(&[host], None, Some(Code::HostNotAllowed));
        }
        check(&[], None, Some(Code::HostNotAllowed));
        check(&["localhost", "localhost"], None, Some(Code::HostNotAllowed));
        check(&["localhost", "evil.example"], None, Some(Code::HostNotAllowed));
    }

    #[test]
    fn a_request_comes_from_no_foreign_page() {
        for origin in ["http://localhost:7878", "http://guild.localhost:7878", "https://page.example"] {
            check(&["localhost"], Some(origin), None);
        }
        let foreign = [
            "http://localhost",
            "http://localhost:3000",
            "https://localhost:7878",
            "http://evil.example:7878",
            "https://page.example:8443",
            "https://page.example.evil.example",
            "null",
            "",
            "file://",
        ];
        for origin in foreign {
            check(&["localhost"], Some(origin), Some(Code::OriginNotAllowed));
        }
    }
}
