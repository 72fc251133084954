//! What a browser sends, without one: a cookie that was set, an origin, forms.

use crate::serve::Served;
use crate::serve::wire::{Answer, Wire};

/// Somebody who visits the page.
pub struct Visitor {
    address: String,
    link: String,
    cookie: Option<String>,
}

impl Visitor {
    /// Who has come by no link yet, but has the one that the server printed.
    pub fn stranger(served: &Served) -> Self {
        Self::by(served, &served.login)
    }

    /// Who has another link.
    pub fn by(served: &Served, link: &str) -> Self {
        Self { address: served.address.clone(), link: link.to_owned(), cookie: None }
    }

    /// The link without its host.
    pub fn link(&self) -> String {
        let (_, rest) = self.link.split_once("/login").unwrap();
        format!("/login{rest}")
    }

    /// The host that the link names.
    pub fn host(&self) -> &str {
        self.link.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    /// Keeps a cookie that was set.
    pub fn keep(&mut self, cookie: &str) {
        self.cookie = Some(cookie.split(';').next().unwrap().to_owned());
    }

    /// Comes by the link.
    #[track_caller]
    pub fn enter(&mut self) {
        let entered = self.get(&self.link());
        assert_eq!(entered.head.status, 303, "{}", entered.body);
        self.keep(entered.head.header("set-cookie").unwrap());
    }

    /// The token that the page sends back with every change.
    #[track_caller]
    pub fn token(&self) -> String {
        let page = self.get("/").body;
        let (_, rest) = page.split_once("name=\"csrf-token\" value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }

    /// How large the files are that a page loads.
    #[track_caller]
    pub fn assets(&self, page: &str) -> usize {
        let names = page.split("\"/assets/").skip(1).map(|rest| rest.split('"').next().unwrap());
        names
            .map(|name| {
                let asset = self.get(&format!("/assets/{name}"));
                assert_eq!(asset.head.status, 200, "{name}");
                assert_eq!(asset.head.header("cache-control"), Some("public, max-age=31536000, immutable"));
                asset.body.len()
            })
            .sum()
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1\r\n"), "")
    }

    #[track_caller]
    pub fn post(&self, path: &str, origin: Option<&str>, body: &str) -> Answer {
        let origin = origin.map(|origin| format!("origin: {origin}\r\n")).unwrap_or_default();
        let kind = "content-type: application/x-www-form-urlencoded";
        let length = body.len();
        self.ask(&format!("POST {path} HTTP/1.1\r\n{kind}\r\ncontent-length: {length}\r\n{origin}"), body)
    }

    /// Any request, as a script of the page could make it.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.ask_for("application/json", &head, body)
    }

    #[track_caller]
    fn ask(&self, head: &str, body: &str) -> Answer {
        self.ask_for("text/html", head, body)
    }

    #[track_caller]
    fn ask_for(&self, accept: &str, head: &str, body: &str) -> Answer {
        let cookie = self.cookie.as_ref().map(|cookie| format!("cookie: {cookie}\r\n")).unwrap_or_default();
        let mut wire = Wire::open(&self.address);
        wire.say(format!("{head}host: {}\r\naccept: {accept}\r\n{cookie}\r\n{body}", self.host()));
        wire.answer().unwrap()
    }
}
