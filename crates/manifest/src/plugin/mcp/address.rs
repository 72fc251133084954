//! Just enough of a URL to hold a server's address to its rules.
//!
//! It resolves nothing and decodes nothing: what is not plainly an address is not one.

use core::net::{Ipv4Addr, Ipv6Addr};

/// The parts of an address that rules speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plugin) struct Address<'a> {
    /// The scheme, as written.
    pub scheme: &'a str,
    /// The host, without its brackets.
    pub host: &'a str,
    /// Whether a user is named before the host.
    pub has_user: bool,
    /// Whether it ends in a fragment.
    pub has_fragment: bool,
}

impl<'a> Address<'a> {
    /// Takes an absolute address apart.
    pub(in crate::plugin) fn parse(url: &'a str) -> Option<Self> {
        if url.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return None;
        }
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (user, place) = match authority.rsplit_once('@') {
            Some((_, place)) => (true, place),
            None => (false, authority),
        };
        let (host, port) = split_port(place)?;
        let is_host =
            !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:".contains(&b));
        let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
        let is_scheme =
            !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        let address = Self { scheme, host, has_user: user, has_fragment: rest.contains('#') };
        Some(address).filter(|_| is_host && is_port && is_scheme)
    }

    /// Whether the scheme is one of `schemes`, in any case.
    pub(in crate::plugin) fn has_scheme(&self, schemes: &[&str]) -> bool {
        schemes.iter().any(|scheme| self.scheme.eq_ignore_ascii_case(scheme))
    }

    /// Whether the host is this machine, by name or by an address written in full.
    pub(in crate::plugin) fn is_loopback(&self) -> bool {
        self.host == "localhost"
            || self.host.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
            || self.host.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback())
    }
}

fn split_port(place: &str) -> Option<(&str, Option<&str>)> {
    if let Some(bracketed) = place.strip_prefix('[') {
        let (host, after) = bracketed.split_once(']')?;
        host.parse::<Ipv6Addr>().ok()?;
        return match after.strip_prefix(':') {
            Some(port) => Some((host, Some(port))),
            None => Some((host, None)).filter(|_| after.is_empty()),
        };
    }
    match place.split_once(':') {
        Some((host, port)) => Some((host, Some(port))),
        None => Some((place, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let address = Address::parse("https://a@x.org:80/p?q#f").unwrap();
        assert_eq!((address.scheme, address.host), ("https", "x.org"));
        assert!(address.has_user && address.has_fragment && address.has_scheme(&["HTTPS"]));
        assert_eq!(Address::parse("http://[::1]:8080/").map(|address| address.host), Some("::1"));
    }

    #[test]
    fn what_is_not_plainly_an_address_is_none() {
        for url in [
            "",
            "x.org",
            "https:/x",
            "https://",
            "https:///p",
            "https://a b/",
            "https://x:y/",
            "https://x:70000/",
            "https://[::1/",
            "https://[zz]/",
            "https://x\\y/",
            "://x",
            "https://x:1:2/",
            "https://%31/",
        ] {
            assert_eq!(Address::parse(url), None, "{url}");
        }
    }

    #[test]
    fn only_this_machine_written_in_full_is_loopback() {
        for url in ["http://localhost/", "http://127.0.0.1:1/", "http://127.9.9.9/", "http://[::1]/"] {
            assert!(Address::parse(url).unwrap().is_loopback(), "{url}");
        }
        for url in
            ["http://localhost.x.org/", "http://127.1/", "http://2130706433/", "http://[::2]/", "http://x/"]
        {
            assert!(!Address::parse(url).unwrap().is_loopback(), "{url}");
        }
    }
}
