//! A client of one server over its standard input and output, as strict as a test needs it: one question after the other.

use guild_testkit::{Env, Running};
use serde_json::{Value as Json, json};

/// What a client says of itself with every request, where there was no handshake.
const VERSION: &str = "2026-07-28";

/// Somebody who talks to `guild mcp`.
pub struct Client {
    server: Running,
    is_stateless: bool,
    last: u64,
}

impl Client {
    /// A client of the era without a handshake, that can ask a person.
    pub fn stateless(env: &Env, agent: &str) -> Self {
        let server = env.invocation(&["mcp", "--agent", agent]).converse();
        Self { server, is_stateless: true, last: 0 }
    }

    /// A client of an earlier era.
    #[track_caller]
    pub fn shaking_hands(env: &Env, version: &str, capabilities: Json) -> Self {
        let server = env.invocation(&["mcp"]).converse();
        let mut client = Self { server, is_stateless: false, last: 0 };
        let client_info = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client_info});
        assert_eq!(client.call("initialize", hello)["protocolVersion"], version);
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    /// A line as it is.
    #[track_caller]
    pub fn say(&mut self, line: &str) {
        self.server.say(line);
    }

    /// The result of a request.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: Json) -> Json {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The result of a tool.
    #[track_caller]
    pub fn tool(&mut self, name: &str, arguments: Json) -> Json {
        self.call("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// The error that a request ends with.
    #[track_caller]
    pub fn error(&mut self, method: &str, params: Json) -> Json {
        let answer = self.ask(method, params);
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }

    /// The result of a tool that a person approves, where there was no handshake.
    #[track_caller]
    pub fn approved(&mut self, mut call: Json) -> Json {
        let asked = self.call("tools/call", call.clone());
        call["requestState"] = asked["requestState"].clone();
        let answer = json!({"action": "accept", "content": {"decision": "run it once"}});
        call["inputResponses"] = json!({"approval": answer});
        self.call("tools/call", call)
    }

    /// Begins a request in whose midst the server asks something: the question.
    #[track_caller]
    pub fn begin(&mut self, method: &str, params: Json) -> Json {
        self.begin_until(method, params, "elicitation/create")
    }

    /// The same where it asks something else.
    #[track_caller]
    pub fn begin_until(&mut self, method: &str, params: Json, asks: &str) -> Json {
        self.send(method, params);
        self.until(asks)
    }

    /// Refuses the server's question, and gives the result of the request that it was about.
    #[track_caller]
    pub fn refuse(&mut self, question: &Json, message: &str) -> Json {
        let error = json!({"code": -1, "message": message});
        self.say(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}).to_string());
        self.wait_for(self.last)["result"].clone()
    }

    /// Answers the server's question.
    #[track_caller]
    pub fn reply(&mut self, question: &Json, answer: Json) {
        self.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
    }

    /// Answers the server's question, and gives the result of the request that it was about.
    #[track_caller]
    pub fn answer(&mut self, question: &Json, answer: Json) -> Json {
        self.reply(question, answer);
        self.wait_for(self.last)["result"].clone()
    }

    /// Takes the last request back.
    #[track_caller]
    pub fn cancel_last(&mut self) {
        let params = json!({"requestId": self.last});
        self.say(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string(),
        );
    }

    /// Listens to what changes.
    #[track_caller]
    pub fn listen(&mut self, notifications: Json) {
        self.send("subscriptions/listen", json!({"notifications": notifications}));
        self.until("notifications/subscriptions/acknowledged");
    }

    /// The next message of this method.
    #[track_caller]
    pub fn until(&mut self, method: &str) -> Json {
        self.next(|message| message["method"] == method)
    }

    /// The next progress that says this.
    #[track_caller]
    pub fn until_progress(&mut self, said: &str) -> Json {
        self.next(|message| message["params"]["message"].as_str().is_some_and(|text| text.contains(said)))
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Json) -> Json {
        self.send(method, params);
        self.wait_for(self.last)
    }

    #[track_caller]
    fn send(&mut self, method: &str, mut params: Json) {
        self.last += 1;
        if self.is_stateless {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = VERSION.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        }
        self.say(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).to_string());
    }

    #[track_caller]
    fn wait_for(&mut self, id: u64) -> Json {
        self.next(|message| message["id"] == id && message.get("method").is_none())
    }

    #[track_caller]
    fn next(&mut self, wanted: impl Fn(&Json) -> bool) -> Json {
        loop {
            let line = self.server.line();
            assert!(!line.is_empty(), "the server has gone: {}", self.server.error_line());
            let message: Json = serde_json::from_str(&line).unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }
}
