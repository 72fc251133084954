//! A server with tokens of every role, and a client that holds every answer to the document.

use crate::serve::{Answer, Served, Wire};
use crate::{env, envelope};
use guild_testkit::Env;
use serde_json::Value as Json;
use std::sync::OnceLock;

/// Skills of every sort, and a server for them.
pub struct Server {
    pub env: Env,
    pub served: Served,
}

/// Somebody with a token.
pub struct Client {
    address: String,
    token: String,
}

impl Server {
    #[track_caller]
    pub fn start(files: &str) -> Self {
        let env = env(files);
        let served = Served::start(&env, &[]);
        Self { env, served }
    }

    /// A person of this role.
    #[track_caller]
    pub fn person(&self, role: &str) -> Client {
        self.client(&["token", "create", role, "--role", role, "--json"])
    }

    /// The agent of this id.
    #[track_caller]
    pub fn agent(&self, id: &str) -> Client {
        self.client(&["token", "create", "--agent", id, "--json"])
    }

    #[track_caller]
    fn client(&self, create: &[&str]) -> Client {
        let made = envelope(&self.env.guild(create).stdout());
        let token = made["data"]["secret"].as_str().unwrap().to_owned();
        Client { address: self.served.address.clone(), token }
    }
}

impl Client {
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: &Json) -> Answer {
        self.ask("POST", path, &[], &body.to_string())
    }

    #[track_caller]
    pub fn put(&self, path: &str, body: &Json) -> Answer {
        self.ask("PUT", path, &[], &body.to_string())
    }

    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path, &[], "")
    }

    /// The answer, which is one that the document knows.
    #[track_caller]
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut wire = self.say(method, path, headers, body);
        let answer = wire.answer().unwrap();
        hold_to_document(method, path, &answer);
        answer
    }

    /// A request, of whose answer nothing was read yet.
    #[track_caller]
    pub fn say(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Wire {
        let mut wire = Wire::open(&self.address);
        wire.say(self.request(method, path, headers, body));
        wire
    }

    /// The bytes of a request; `path` is below the top unless it is whole.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let path = whole(path);
        let authorization = format!("Bearer {}", self.token);
        let mut usual = vec![("host", "localhost"), ("authorization", authorization.as_str())];
        if !body.is_empty() {
            usual.push(("content-type", "application/json"));
        }
        usual.retain(|(name, _)| !headers.iter().any(|(given, _)| given == name));
        let mut head = format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in usual.iter().chain(headers) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        format!("{head}\r\n{body}")
    }

    /// A stream of events, of which nothing was read yet.
    #[track_caller]
    pub fn follow(&self, method: &str, path: &str, body: &str) -> Wire {
        let mut wire = self.say(method, path, &[("accept", "text/event-stream")], body);
        let head = wire.head().unwrap();
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
        wire
    }
}

impl Answer {
    /// Its envelope.
    #[track_caller]
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The data of its envelope, where the status is this one.
    #[track_caller]
    pub fn data(&self, told: &str) -> Json {
        assert_eq!(self.told(), told, "{}", self.body);
        self.json()["data"].clone()
    }
}

fn whole(path: &str) -> String {
    if path.starts_with("/api") || path.starts_with("/metrics") {
        path.to_owned()
    } else {
        format!("/api/v1{path}")
    }
}

/// Fails where the document does not know the status of an answer, or its code.
#[track_caller]
fn hold_to_document(method: &str, path: &str, answer: &Answer) {
    static DOCUMENT: OnceLock<Json> = OnceLock::new();
    let document = DOCUMENT.get_or_init(guild_web::document);
    let path = whole(path);
    let path = path.split('?').next().unwrap_or_default();
    let fits = |template: &&String| {
        let (known, asked) = (template.split('/'), path.split('/'));
        known.clone().count() == asked.clone().count()
            && known
                .zip(asked)
                .all(|(known, asked)| known == asked || (known.starts_with('{') && !asked.is_empty()))
    };
    let paths = document["paths"].as_object().unwrap();
    let exact = paths.get(path).or_else(|| paths.keys().find(fits).map(|known| &paths[known]));
    let Some(operation) = exact.and_then(|known| known.get(method.to_ascii_lowercase())) else { return };
    let status = answer.head.status.to_string();
    let response = &operation["responses"][&status];
    let response =
        if response["$ref"].is_string() { &document["components"]["responses"][&status] } else { response };
    assert!(response.is_object(), "{method} {path} does not promise {}: {}", answer.head.status, answer.body);
    let codes = &response["content"]["application/json"]["schema"]["properties"]["code"]["enum"];
    if let (Some(codes), Ok(body)) = (codes.as_array(), serde_json::from_str::<Json>(&answer.body)) {
        assert!(
            codes.contains(&body["code"]),
            "{method} {path} does not promise {}: {}",
            answer.told(),
            answer.body
        );
    }
}
