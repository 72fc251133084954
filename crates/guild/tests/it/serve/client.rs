//! A server that runs, and an agent that talks to it in either era of the protocol.

use super::wire::{Answer, Wire, post};
use crate::envelope;
use guild_testkit::{Env, Running};
use serde_json::{Value as Json, json};

/// `guild serve`, on a free port.
pub struct Served {
    pub running: Running,
    pub address: String,
    /// The link that opens the page.
    pub login: String,
}

/// An agent with a token.
pub struct Agent {
    pub address: String,
    pub token: String,
    /// The version of the protocol, and the session in those that have one.
    version: &'static str,
    session: Option<String>,
    last: u64,
}

const STATELESS: &str = "2026-07-28";

impl Served {
    #[track_caller]
    pub fn start(env: &Env, arguments: &[&str]) -> Self {
        let all: Vec<&str> =
            ["serve", "--listen", "127.0.0.1:0"].into_iter().chain(arguments.iter().copied()).collect();
        let mut running = env.invocation(&all).converse();
        let line = running.line();
        let address = line.trim().strip_prefix("http://").unwrap().to_owned();
        let login = running.line().trim().to_owned();
        Self { running, address, login }
    }

    /// The answer to a request as it is; nothing if the server hangs up.
    #[track_caller]
    pub fn ask(&self, request: &str) -> Option<Answer> {
        let mut wire = Wire::open(&self.address);
        wire.say(request);
        wire.answer()
    }

    /// An agent that shakes no hands.
    #[track_caller]
    pub fn agent(&self, env: &Env, name: &str) -> Agent {
        Agent {
            address: self.address.clone(),
            token: token(env, name).1,
            version: STATELESS,
            session: None,
            last: 0,
        }
    }

    /// An agent of an earlier era.
    #[track_caller]
    pub fn shaking_hands(&self, token: &str, version: &'static str, capabilities: Json) -> Agent {
        let (address, token) = (self.address.clone(), token.to_owned());
        let mut agent = Agent { address, token, version, session: None, last: 0 };
        let client_info = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client_info});
        let (mut wire, id) = agent.send("initialize", hello);
        let head = wire.head().unwrap();
        agent.session = head.header("mcp-session-id").map(str::to_owned);
        assert_eq!(until(&mut wire, id)["result"]["protocolVersion"], version);
        let told = agent.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).head();
        assert_eq!(told.unwrap().status, 202);
        agent
    }
}

impl Agent {
    /// The result of a request.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: Json) -> Json {
        let (mut wire, id) = self.send(method, params);
        let head = wire.head().unwrap();
        assert_eq!(head.status, 200, "{method}");
        until(&mut wire, id)["result"].clone()
    }

    /// Sends a request, of which nothing was read yet.
    #[track_caller]
    pub fn send(&mut self, method: &str, mut params: Json) -> (Wire, u64) {
        self.last += 1;
        if self.version == STATELESS {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = STATELESS.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        }
        let message = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        (self.post(&message), self.last)
    }

    /// Sends a message.
    #[track_caller]
    pub fn post(&self, message: &Json) -> Wire {
        let mut wire = Wire::open(&self.address);
        wire.say(self.request(message));
        wire
    }

    /// A message as the bytes of a request.
    pub fn request(&self, message: &Json) -> String {
        let authorization = format!("Bearer {}", self.token);
        let mut headers = vec![("authorization", authorization.as_str())];
        if self.version == STATELESS {
            headers.push(("mcp-protocol-version", self.version));
            headers.push(("mcp-method", message["method"].as_str().unwrap_or_default()));
            let params = &message["params"];
            if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
                headers.push(("mcp-name", name));
            }
        }
        if let Some(session) = &self.session {
            headers.push(("mcp-session-id", session));
            headers.push(("mcp-protocol-version", self.version));
        }
        post(&headers, &message.to_string())
    }

    /// The stream of what a client of an earlier era is told unasked.
    #[track_caller]
    pub fn listen(&self) -> Wire {
        let (token, session) = (&self.token, self.session.as_deref().unwrap_or_default());
        let mut wire = Wire::open(&self.address);
        wire.say(format!(
            "GET /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nmcp-session-id: {session}\r\nmcp-protocol-version: {}\r\naccept: text/event-stream\r\n\r\n",
            self.version
        ));
        assert_eq!(wire.head().unwrap().status, 200);
        wire
    }

    /// What a search finds, which shows that the agent is served.
    #[track_caller]
    pub fn search(&mut self, query: &str) -> String {
        let found = self.call("tools/call", json!({"name": "skill_search", "arguments": {"query": query}}));
        found["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }
}

/// A token for an agent: its id and its secret.
#[track_caller]
pub fn token(env: &Env, agent: &str) -> (String, String) {
    let made = envelope(&env.guild(&["token", "create", "--agent", agent, "--json"]).stdout());
    let data = &made["data"];
    (data["token"]["id"].as_str().unwrap().to_owned(), data["secret"].as_str().unwrap().to_owned())
}

/// The answer to a request, further down its stream.
#[track_caller]
pub fn until(wire: &mut Wire, id: u64) -> Json {
    loop {
        let message = wire.event().unwrap();
        if message["id"] == id && message.get("method").is_none() {
            return message;
        }
    }
}
