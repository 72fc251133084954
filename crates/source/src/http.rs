//! Downloads over HTTPS: bounded in time and size, tried again where that helps, and gone on with where the server can.
//!
//! Plain HTTP is spoken with this machine alone, also after a redirect. What comes is bytes in a file; what they are is not asked.

use crate::spec::is_loopback;
use reqwest::header::{AUTHORIZATION, CONTENT_RANGE, ETAG, HeaderValue, IF_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use rustls::CertificateError;
use std::error::Error;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// How many bytes a download may have.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How often something is tried.
const TRIES: u32 = 4;
/// How long the first pause is before it is tried again; each one is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(250);
/// How long a server may take to let us in.
const CONNECT: Duration = Duration::from_secs(15);
/// How long it may be silent.
const SILENCE: Duration = Duration::from_secs(30);
/// How many times it may send us elsewhere.
const REDIRECTS: usize = 5;

/// Why nothing came.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is none, or not one that is fetched.
    #[error("`{url}` is no address that is fetched")]
    Address {
        /// The address.
        url: String,
    },
    /// The server wants to know who asks, or has no such thing.
    #[error("{url} is not there, or not for you: {status}")]
    Denied {
        /// The address.
        url: String,
        /// What it said.
        status: u16,
    },
    /// The server cannot be reached, fails, or is silent.
    #[error("cannot fetch {url}: {said}")]
    Failed {
        /// The address.
        url: String,
        /// What happened.
        said: String,
    },
    /// It is larger than a download may be.
    #[error("{url} has more than {MAX_BYTES} bytes")]
    TooLarge {
        /// The address.
        url: String,
    },
    /// The system refused something.
    #[error("cannot write {}", .path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What is left to be done after one try.
enum Try {
    Done,
    Again(HttpError),
}

/// Downloads an address into a file, and tells how many bytes there are so far.
///
/// # Errors
/// Where the address is refused, the server fails as often as it is asked, or there is too much of it.
pub async fn download(url: &str, to: &Path, progress: &(dyn Fn(u64) + Sync)) -> Result<(), HttpError> {
    download_as(url, None, to, progress).await
}

/// The same as somebody: what is said of them goes to this address, and not to another that it sends us to.
///
/// # Errors
/// As [`download`].
pub async fn download_as(
    url: &str,
    authorization: Option<&str>,
    to: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(), HttpError> {
    let address = address(url)?;
    let client = client().map_err(|error| failed(url, &error))?;
    let mut file = File::create(to).map_err(|source| HttpError::Write { path: to.to_owned(), source })?;
    let authorization = authorization.and_then(|text| HeaderValue::from_str(text).ok());
    let mut state = State { count: 0, tag: None, authorization };
    let mut pause = PAUSE;
    let mut last = None;
    for number in 0..TRIES {
        if number > 0 {
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        match state.attempt(&client, &address, (&mut file, to), progress).await? {
            Try::Done => {
                return file.sync_all().map_err(|source| HttpError::Write { path: to.to_owned(), source });
            }
            Try::Again(error) => last = Some(error),
        }
    }
    Err(last
        .unwrap_or_else(|| HttpError::Failed { url: url.to_owned(), said: "it was not tried".to_owned() }))
}

/// How far a download is.
struct State {
    count: u64,
    /// What tells that what comes next belongs to what has come.
    tag: Option<String>,
    /// Who asks.
    authorization: Option<HeaderValue>,
}

impl State {
    async fn attempt(
        &mut self,
        client: &Client,
        url: &Url,
        (file, to): (&mut File, &Path),
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Try, HttpError> {
        let mut request = client.get(url.clone());
        if let Some(value) = &self.authorization {
            request = request.header(AUTHORIZATION, value);
        }
        if let Some(tag) = self.tag.as_ref().filter(|_| self.count > 0) {
            request = request.header(RANGE, format!("bytes={}-", self.count)).header(IF_RANGE, tag);
        }
        let response = match request.send().await {
            Ok(response) => response,
            // Where it sends us, and who it is, does not change by asking again.
            Err(error) if error.is_redirect() || distrust(&error).is_some() => {
                return Err(failed(url.as_str(), &error));
            }
            Err(error) => return Ok(Try::Again(failed(url.as_str(), &error))),
        };
        let status = response.status();
        match status {
            // A part that nobody has asked for, or of which something is missing before it, is not what was asked for.
            StatusCode::PARTIAL_CONTENT if self.goes_on_with(&response) => {}
            StatusCode::PARTIAL_CONTENT => {
                let said = "the server gives another part than what was asked for".to_owned();
                (self.count, self.tag) = (0, None);
                return Ok(Try::Again(HttpError::Failed { url: url.to_string(), said }));
            }
            StatusCode::OK => {
                self.count = 0;
                let begin = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
                begin.map_err(|source| HttpError::Write { path: to.to_owned(), source })?;
                let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
                // A weak one promises nothing about bytes.
                self.tag = tag.filter(|tag| !tag.starts_with("W/")).map(str::to_owned);
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                let said = format!("the server says {status}");
                return Ok(Try::Again(HttpError::Failed { url: url.to_string(), said }));
            }
            status => return Err(HttpError::Denied { url: url.to_string(), status: status.as_u16() }),
        }
        self.receive(response, url, (file, to), progress).await
    }

    /// Whether a part begins where what has come ends, as far as the server says where it begins.
    fn goes_on_with(&self, response: &Response) -> bool {
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        let start =
            range.and_then(|range| range.strip_prefix("bytes ")?.split('-').next()?.parse::<u64>().ok());
        self.count > 0 && start.is_none_or(|start| start == self.count)
    }

    async fn receive(
        &mut self,
        mut response: Response,
        url: &Url,
        (file, to): (&mut File, &Path),
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Try, HttpError> {
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    self.count += bytes.len() as u64;
                    if self.count > MAX_BYTES {
                        return Err(HttpError::TooLarge { url: url.to_string() });
                    }
                    let written = file.write_all(&bytes);
                    written.map_err(|source| HttpError::Write { path: to.to_owned(), source })?;
                    progress(self.count);
                }
                Ok(None) => return Ok(Try::Done),
                Err(error) => return Ok(Try::Again(failed(url.as_str(), &error))),
            }
        }
    }
}

/// The address, if it is one that is fetched.
fn address(url: &str) -> Result<Url, HttpError> {
    let refused = || HttpError::Address { url: url.to_owned() };
    let address = Url::parse(url).map_err(|_| refused())?;
    if is_fetched(&address) { Ok(address) } else { Err(refused()) }
}

fn is_fetched(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.host_str().is_some(),
        "http" => url.host_str().is_some_and(is_loopback),
        _ => false,
    }
}

/// A client with our limits: patient for a while, and sent nowhere that is not fetched from.
///
/// # Errors
/// Where the system has no TLS to offer.
pub fn client() -> reqwest::Result<Client> {
    static CHOSEN: OnceLock<()> = OnceLock::new();
    // Whoever chose the library behind TLS before is left alone.
    CHOSEN.get_or_init(|| drop(rustls::crypto::ring::default_provider().install_default()));
    let follow = redirect::Policy::custom(|attempt| {
        if attempt.previous().len() > REDIRECTS {
            attempt.error("it sends us elsewhere too often")
        } else if is_fetched(attempt.url()) {
            attempt.follow()
        } else {
            attempt.error("it sends us to an address that is not fetched")
        }
    });
    let agent = concat!("guild/", env!("CARGO_PKG_VERSION"));
    Client::builder()
        .redirect(follow)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .user_agent(agent)
        .build()
}

/// Why a server's certificate is not one that counts here.
fn distrust(error: &reqwest::Error) -> Option<&CertificateError> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(rustls::Error::InvalidCertificate(why)) = made_of(inner).downcast_ref() {
            return Some(why);
        }
        cause = inner.source();
    }
    None
}

/// What errors of the system's are made of, one in the other, which is not what they call their source.
fn made_of<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        error = inner;
    }
    error
}

/// The error with what led to it, and without the address, which is said already.
fn failed(url: &str, error: &reqwest::Error) -> HttpError {
    let mut cause: Option<&dyn Error> = error.source();
    let mut said = if error.is_timeout() { "it takes too long".to_owned() } else { String::new() };
    while let Some(inner) = cause {
        if !said.is_empty() {
            said.push_str(": ");
        }
        said.push_str(&inner.to_string());
        cause = inner.source();
    }
    if distrust(error) == Some(&CertificateError::UnknownIssuer) {
        said.push_str("; an authority of your own is named by `SSL_CERT_FILE`");
    }
    if said.is_empty() {
        said = "the connection was broken off".to_owned();
    }
    HttpError::Failed { url: url.to_owned(), said: said.chars().take(300).collect() }
}
