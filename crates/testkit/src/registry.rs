//! A real container registry on this machine: Debian's `docker-registry`, in a directory of its own, until it is dropped.
//!
//! It speaks plain HTTP on a port of the loopback that the system chose. It knows nothing of what images mean: whoever pushes brings
//! manifests and blobs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::image::Parts;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

const PROGRAM: &str = "docker-registry";

/// `ada` with the password `lovelace`, as `htpasswd -B` writes them.
const ACCOUNT: &str = "ada:$2y$05$abcdefghijklmnopqrstuuugyJgZetmHGvxwCJ1rpgM8bgT8KJ8.i\n";

/// A registry that runs.
#[derive(Debug)]
pub struct Registry {
    child: Child,
    host: String,
    authorization: Option<String>,
    _directory: TempDir,
}

struct Response {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Registry {
    /// Starts a registry that lets everybody in.
    #[track_caller]
    pub fn start() -> Self {
        Self::serve(false)
    }

    /// Starts a registry that lets in `ada`, whose password is `lovelace`, and nobody else.
    #[track_caller]
    pub fn start_locked() -> Self {
        Self::serve(true)
    }

    #[track_caller]
    fn serve(is_locked: bool) -> Self {
        let directory = tempfile::tempdir().expect("make a directory for the registry");
        let below = |name: &str| directory.path().join(name).display().to_string();
        let mut config = format!(
            "version: 0.1\nlog: {{level: info}}\nhttp: {{addr: '127.0.0.1:0', secret: test}}\nstorage:\n  filesystem: {{rootdirectory: '{}'}}\n",
            below("data")
        );
        if is_locked {
            fs::write(below("htpasswd"), ACCOUNT).expect("write the accounts");
            config += &format!("auth: {{htpasswd: {{realm: test, path: '{}'}}}}\n", below("htpasswd"));
        }
        fs::write(below("config.yml"), config).expect("write the registry's configuration");
        #[expect(clippy::disallowed_methods, reason = "a registry is a program of its own")]
        let child = Command::new(PROGRAM)
            .args(["serve", &below("config.yml")])
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child
            .unwrap_or_else(|error| panic!("start {PROGRAM}, of the Debian package of that name: {error}"));
        let host = listening(&mut child);
        // `ada:lovelace`.
        let authorization = is_locked.then(|| "Basic YWRhOmxvdmVsYWNl".to_owned());
        Self { child, host, authorization, _directory: directory }
    }

    /// Where it is: `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Pushes a whole image under a tag or its digest, and gives the bytes of its manifest.
    #[track_caller]
    pub fn push_image(&self, repository: &str, reference: &str, parts: &Parts) -> Vec<u8> {
        let mut manifest = Vec::new();
        for (path, bytes) in &parts.files {
            let Some(hex) = path.strip_prefix("blobs/sha256/") else { continue };
            let digest = format!("sha256:{hex}");
            if digest == parts.manifest {
                manifest.clone_from(bytes);
            } else {
                self.push_blob(repository, &digest, bytes);
            }
        }
        self.push_manifest(repository, reference, MANIFEST, &manifest);
        manifest
    }

    /// Pushes the manifest or index of an image under a tag or its digest; what it names has been pushed before.
    #[track_caller]
    pub fn push_manifest(&self, repository: &str, reference: &str, media_type: &str, manifest: &[u8]) {
        let path = format!("/v2/{repository}/manifests/{reference}");
        let response = self.request("PUT", &path, media_type, manifest);
        assert_eq!(response.status, 201, "push a manifest: {}", String::from_utf8_lossy(&response.body));
    }

    /// Pushes a blob, whose digest is `sha256:…`.
    #[track_caller]
    pub fn push_blob(&self, repository: &str, digest: &str, bytes: &[u8]) {
        let response = self.request("POST", &format!("/v2/{repository}/blobs/uploads/"), "text/plain", b"");
        assert_eq!(response.status, 202, "begin a push: {}", String::from_utf8_lossy(&response.body));
        let location = response.headers.get("location").expect("a place to push to");
        let path = location.split_once(&self.host).map_or(location.as_str(), |(_, path)| path);
        let joint = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{joint}digest={digest}");
        let response = self.request("PUT", &path, "application/octet-stream", bytes);
        assert_eq!(response.status, 201, "push a blob: {}", String::from_utf8_lossy(&response.body));
    }

    #[track_caller]
    fn request(&self, method: &str, path: &str, media_type: &str, body: &[u8]) -> Response {
        let mut stream = TcpStream::connect(&self.host).expect("reach the registry");
        let authorization =
            self.authorization.iter().map(|value| format!("Authorization: {value}\r\n")).collect::<String>();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{authorization}Content-Type: {media_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.host,
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).expect("ask the registry");
        let mut reader = BufReader::new(stream);
        let mut line = || {
            let mut line = String::new();
            reader.read_line(&mut line).expect("read the registry's answer");
            line.trim_end().to_owned()
        };
        let status = line().split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let headers = std::iter::from_fn(|| Some(line()).filter(|line| !line.is_empty()))
            .filter_map(|line| {
                Some(line.split_once(": ")?).map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            })
            .collect();
        let mut body = Vec::new();
        reader.read_to_end(&mut body).expect("read the registry's answer");
        Response { status, headers, body }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the registry says where it listens. What it says afterwards is read and dropped, lest its pipe fill up.
#[track_caller]
fn listening(child: &mut Child) -> String {
    let stderr = child.stderr.take().expect("the registry's words");
    let mut lines = BufReader::new(stderr).lines();
    let mut said = String::new();
    for line in lines.by_ref().map_while(Result::ok) {
        if let Some((_, rest)) = line.split_once("listening on ") {
            let host = rest.split(['"', ' ']).next().unwrap_or(rest).to_owned();
            thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
            return host;
        }
        said += &line;
    }
    panic!("the registry does not listen: {said}");
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn what_is_pushed_is_there_and_two_registries_share_nothing() {
        let (one, mut two) = (Registry::start(), Registry::start_locked());
        assert_ne!(one.host(), two.host());
        for registry in [&one, &two] {
            registry.push_blob("a/b", EMPTY, b"");
        }
        let path = format!("/v2/a/b/blobs/{EMPTY}");
        assert_eq!(one.request("GET", &path, "", b"").status, 200);
        assert_eq!(one.request("GET", "/v2/a/c/tags/list", "", b"").status, 404);
        two.authorization = None;
        assert_eq!(two.request("GET", &path, "", b"").status, 401);
    }
}
