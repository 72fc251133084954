//! TLS in front of a server of this machine, with an authority of its own that nobody knows who was not told of it.
//!
//! It listens on a port of the loopback that the system chose, and hands on one request a connection. `openssl` makes the certificates.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

/// A front that stands until the test ends.
#[derive(Debug)]
pub struct TlsFront {
    host: String,
    directory: TempDir,
}

impl TlsFront {
    /// Stands in front of a server, under the name or address that its certificate is for: `IP:127.0.0.1`, `DNS:example.org`.
    #[track_caller]
    pub fn start(behind: &str, named: &str) -> Self {
        let directory = tempfile::tempdir().expect("make a directory for certificates");
        let config = Arc::new(config(directory.path(), named));
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen on the loopback");
        let host = listener.local_addr().expect("the listener's address").to_string();
        let behind = behind.to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, behind) = (Arc::clone(&config), behind.clone());
                // Whoever does not trust it hangs up.
                thread::spawn(move || hand_on(config, stream, &behind).ok());
            }
        });
        Self { host, directory }
    }

    /// Where it is: `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The certificate of the authority, for whoever is to trust it.
    pub fn authority(&self) -> PathBuf {
        self.directory.path().join("authority.pem")
    }
}

/// Makes an authority and a certificate of it.
fn config(directory: &Path, named: &str) -> ServerConfig {
    let new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    let authority = "-keyout authority.key -out authority.pem -subj /CN=authority";
    openssl(directory, &format!("{new} {authority} -addext basicConstraints=critical,CA:TRUE"));
    let server = "-keyout server.key -out server.pem -subj /CN=server -CA authority.pem -CAkey authority.key";
    let limits = format!("-addext basicConstraints=critical,CA:FALSE -addext subjectAltName={named}");
    openssl(directory, &format!("{new} {server} {limits}"));
    let certificate = CertificateDer::from_pem_file(directory.join("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(directory.join("server.key")).expect("a key");
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().expect("versions of TLS");
    builder.with_no_client_auth().with_single_cert(vec![certificate], key).expect("a key that fits")
}

#[expect(clippy::disallowed_methods, reason = "a program that makes certificates is no skill")]
fn openssl(directory: &Path, arguments: &str) {
    let ran = Command::new("openssl").args(arguments.split(' ')).current_dir(directory).output();
    let ran = ran.expect("start `openssl`");
    assert!(ran.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// Hands a request without a body on, and the answer back.
fn hand_on(config: Arc<ServerConfig>, stream: TcpStream, behind: &str) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut front = StreamOwned::new(connection, stream);
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    while !request.ends_with(b"\r\n\r\n") {
        match front.read(&mut piece)? {
            0 => return Ok(()),
            count => request.extend(piece.iter().take(count)),
        }
    }
    let mut back = TcpStream::connect(behind)?;
    back.write_all(&request)?;
    io::copy(&mut back, &mut front)?;
    front.conn.send_close_notify();
    front.flush()
}
