//! A real browser: Chromium without a window, told what to do over the WebDriver protocol by a few requests of our own.
//!
//! It uses the programs that Debian's packages bring and installs nothing; `./test` does that. The browser and its driver are gone
//! with the value, and so is everything that they wrote but the pictures.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::below_target;

/// What names an element in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Where the browser itself is told something, by the protocol of its developers' tools.
const DEVELOPER: &str = "goog/cdp/execute";
/// How long something may take to appear. It is a bound for a test that fails, and no time that one takes.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);

/// A browser with one page.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _directory: TempDir,
}

impl Browser {
    /// Starts one, on a screen of a common size.
    #[track_caller]
    pub fn start() -> Self {
        let directory = tempfile::tempdir().expect("make a directory for the browser");
        #[expect(clippy::disallowed_methods, reason = "a test of the page needs a browser")]
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("HOME", directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("start chromedriver, which Debian's package chromium-driver brings");
        let port = port(&mut driver);
        let mut browser = Self { driver, port, session: String::new(), _directory: directory };
        let profile = browser._directory.path().join("profile");
        let arguments = [
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--disable-gpu".to_owned(),
            "--window-size=1280,900".to_owned(),
            format!("--user-data-dir={}", profile.display()),
        ];
        let wanted = json!({"browserName": "chrome", "goog:chromeOptions": {"args": arguments}, "unhandledPromptBehavior": "ignore"});
        let made = browser.ask("POST", "/session", &json!({"capabilities": {"alwaysMatch": wanted}}));
        browser.session = text_of(&made, "sessionId");
        assert!(!browser.session.is_empty(), "no session of the browser: {made}");
        browser
    }

    /// Goes to a page.
    #[track_caller]
    pub fn go(&self, url: &str) {
        self.tell("url", &json!({"url": url}));
    }

    /// The address of the page.
    #[track_caller]
    pub fn url(&self) -> String {
        self.look("url").as_str().unwrap_or_default().to_owned()
    }

    /// What a script gives back, which can use `arguments`.
    #[track_caller]
    pub fn script(&self, script: &str, arguments: &[Json]) -> Json {
        self.tell("execute/sync", &json!({"script": script, "args": arguments}))
    }

    /// The text of the first element that fits, once there is one.
    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        let text = self.on(selector, "GET", "text", None);
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Whether something fits now.
    #[track_caller]
    pub fn has(&self, selector: &str) -> bool {
        self.script("return document.querySelector(arguments[0]) !== null", &[selector.into()]) == true
    }

    /// Waits until an element's text contains something.
    #[track_caller]
    pub fn await_text(&self, selector: &str, text: &str) {
        let script = "return [...document.querySelectorAll(arguments[0])].some((found) => found.textContent.includes(arguments[1]))";
        self.until(&format!("`{text}` in `{selector}`"), || {
            self.script(script, &[selector.into(), text.into()]) == true
        });
    }

    /// Clicks what fits, once it is there.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.on(selector, "POST", "click", Some(&json!({})));
    }

    /// Types into what fits.
    #[track_caller]
    pub fn write(&self, selector: &str, text: &str) {
        self.on(selector, "POST", "value", Some(&json!({"text": text})));
    }

    /// Presses keys, one after the other, wherever the focus is.
    #[track_caller]
    pub fn press(&self, keys: &[&str]) {
        let actions: Vec<Json> = keys
            .iter()
            .flat_map(|key| {
                [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]
            })
            .collect();
        self.tell("actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// Whether a dialogue of the page is open, which only a script can have done.
    #[track_caller]
    pub fn has_dialogue(&self) -> bool {
        let (status, _) = self.request("GET", &self.path("alert/text"), None);
        status == 200
    }

    /// Looks at the page on a screen of another size.
    #[track_caller]
    pub fn resize(&self, width: u32, height: u32) {
        let is_small = width < 600;
        let params = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_small});
        self.developer("Emulation.setDeviceMetricsOverride", &params);
    }

    /// Looks at the page by night, or by day.
    #[track_caller]
    pub fn darken(&self, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.developer("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// Keeps a picture of the whole page below `target`, for somebody to look at.
    #[track_caller]
    pub fn picture(&self, name: &str) -> PathBuf {
        let directory = below_target("page-pictures");
        fs::create_dir_all(&directory).expect("make a directory for pictures");
        let capture = json!({"cmd": "Page.captureScreenshot", "params": {"format": "png", "captureBeyondViewport": true}});
        let mut taken = Json::Null;
        self.until("a page that is laid out", || {
            let (status, answer) = self.request("POST", &self.path(DEVELOPER), Some(&capture));
            // On a busy machine a page that has just come may have no size yet.
            let unsized_yet = text_of(&answer, "message").contains("with 0 width");
            assert!(status == 200 || unsized_yet, "a picture of {name}: {answer}");
            taken = answer;
            !unsized_yet
        });
        let path = directory.join(format!("{name}.png"));
        let bytes = decoded(&text_of(&taken, "data"));
        fs::write(&path, bytes).expect("write a picture");
        path
    }

    /// What the rules of axe-core find on the page that is serious: each with where it is. `./test` has installed them.
    #[track_caller]
    pub fn barriers(&self) -> Vec<String> {
        let path = below_target("axe/node_modules/axe-core/axe.min.js");
        let rules = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("read {}, which ./test installs: {error}", path.display()));
        self.script(&format!("{rules}\nwindow.axe = axe;"), &[]);
        let run = "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((found) => done(found.violations\
            .filter((one) => one.impact === 'serious' || one.impact === 'critical')\
            .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html}`))))";
        let found = self.tell("execute/async", &json!({"script": run, "args": []}));
        let found = found.as_array().into_iter().flatten();
        found.map(|barrier| barrier.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until something is so.
    #[track_caller]
    pub fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            if begun.elapsed() > PATIENCE {
                let page = self.script("return document.body.innerText", &[]);
                panic!("waited in vain for {what} at {}:\n{}", self.url(), page.as_str().unwrap_or_default());
            }
            thread::sleep(PAUSE);
        }
    }

    /// Moves the pointer over what fits, and leaves it there.
    #[track_caller]
    pub fn point(&self, selector: &str) {
        let element = json!({ ELEMENT: self.find(selector) });
        self.pointer(&json!([{"type": "pointerMove", "duration": 0, "origin": element, "x": 0, "y": 0}]));
    }

    /// Clicks where the pointer rests, whatever is there.
    #[track_caller]
    pub fn click_here(&self) {
        self.pointer(&json!([{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]));
    }

    #[track_caller]
    fn pointer(&self, actions: &Json) {
        let pointer = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions});
        self.tell("actions", &json!({"actions": [pointer]}));
    }

    /// Does something to what fits. A page that was replaced between finding and doing is looked
    /// through again: nothing has been done to an element that is no longer there.
    #[track_caller]
    fn on(&self, selector: &str, method: &str, what: &str, body: Option<&Json>) -> Json {
        let mut done = Json::Null;
        self.until(&format!("{what} of `{selector}`"), || {
            let element = self.find(selector);
            let (status, answer) =
                self.request(method, &self.path(&format!("element/{element}/{what}")), body);
            let stale = text_of(&answer, "error") == "stale element reference";
            assert!(status == 200 || stale, "{what} of `{selector}`: {answer}");
            done = answer;
            !stale
        });
        done
    }

    #[track_caller]
    fn find(&self, selector: &str) -> String {
        let mut found = None;
        let query = json!({"using": "css selector", "value": selector});
        self.until(selector, || {
            let (status, answer) = self.request("POST", &self.path("element"), Some(&query));
            found = Some(text_of(&answer, ELEMENT)).filter(|id| status == 200 && !id.is_empty());
            found.is_some()
        });
        found.unwrap_or_default()
    }

    #[track_caller]
    fn developer(&self, command: &str, params: &Json) -> Json {
        self.tell(DEVELOPER, &json!({"cmd": command, "params": params}))
    }

    #[track_caller]
    fn tell(&self, what: &str, body: &Json) -> Json {
        self.ask("POST", &self.path(what), body)
    }

    #[track_caller]
    fn look(&self, what: &str) -> Json {
        let (status, answer) = self.request("GET", &self.path(what), None);
        assert_eq!(status, 200, "{what}: {answer}");
        answer
    }

    fn path(&self, what: &str) -> String {
        format!("/session/{}/{what}", self.session)
    }

    #[track_caller]
    fn ask(&self, method: &str, path: &str, body: &Json) -> Json {
        let (status, answer) = self.request(method, path, Some(body));
        assert_eq!(status, 200, "{path} {body}: {answer}");
        answer
    }

    /// One request on a connection of its own: the status, and the `value` of the answer.
    #[track_caller]
    fn request(&self, method: &str, path: &str, body: Option<&Json>) -> (u16, Json) {
        let body = body.map(Json::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("reach chromedriver");
        stream.set_read_timeout(Some(PATIENCE)).expect("bound the wait for chromedriver");
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n", self.port);
        let length = body.len();
        write!(stream, "{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
            .expect("write to chromedriver");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).expect("read from chromedriver");
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).expect("read from chromedriver");
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut bytes = vec![0; length];
        reader.read_exact(&mut bytes).expect("read from chromedriver");
        let mut answer: Json = serde_json::from_slice(&bytes).unwrap_or_default();
        (status, answer.get_mut("value").map(Json::take).unwrap_or_default())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session; a driver that is gone already has nobody to tell.
        if !self.session.is_empty() && TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            self.request("DELETE", &format!("/session/{}", self.session), None);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn text_of(answer: &Json, key: &str) -> String {
    answer.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// The port that the driver says it has taken.
#[track_caller]
fn port(driver: &mut Child) -> u16 {
    let output = driver.stdout.take().expect("what chromedriver prints");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let said = lines.find_map(|line| {
        let (_, rest) = line.split_once("successfully on port ")?;
        rest.trim_end_matches('.').trim().parse().ok()
    });
    // Whatever it prints later must not fill the pipe.
    thread::spawn(move || lines.for_each(drop));
    said.expect("chromedriver says its port")
}

/// Bytes out of base64.
fn decoded(text: &str) -> Vec<u8> {
    let (mut bytes, mut kept, mut bits) = (Vec::with_capacity(text.len() * 3 / 4), 0_u32, 0);
    for digit in text.bytes().filter_map(digit) {
        kept = kept << 6 | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(kept >> bits & 0xff).unwrap_or_default());
        }
    }
    bytes
}

fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn base64_is_read() {
        assert_eq!(decoded("aGVsbG8="), b"hello");
        assert_eq!(decoded("aGVsbG8h"), b"hello!");
    }
}
