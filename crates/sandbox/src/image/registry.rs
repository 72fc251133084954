//! Images out of registries: a reference resolved to a digest, its blobs fetched, verified and unpacked.
//!
//! What is fetched is kept until it is unpacked, so a pull that was interrupted goes on where it stopped. A registry is spoken to
//! without encryption only where it is on this machine or the caller has named it. No program is started to find a password.

mod artifact;
mod credentials;
mod download;
mod failure;
mod resolve;

use std::collections::HashSet;
use std::fs::File;
use std::sync::OnceLock;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use oci_client::Reference;
use oci_client::client::{Client, ClientConfig, ClientProtocol};
use oci_client::secrets::RegistryAuth;

use super::digest::Digest;
use super::documents::{CONFIG_BYTES, Config, Descriptor, Manifest, parse};
use super::error::ImageError;
use super::event::Listener;
use super::plan::{LayerPlan, Plan, diff_ids};
use super::platform::Platform;
use super::record::{Image, Kind};
use super::section::Section;
use super::store::{Keeping, Store, check_name};

pub use artifact::{Artifact, ArtifactPart};
pub use credentials::{Credentials, CredentialsError};
pub use failure::PullError;

/// Blobs that are fetched at the same time.
const AT_ONCE: usize = 3;

/// What to pull, and how.
#[derive(Clone, Copy, Debug)]
pub struct PullRequest<'a> {
    /// `name`, `name:tag` or `name@sha256:…`, with the registry in front where it is not Docker's.
    pub reference: &'a str,
    /// What to call it; else the whole form of the reference.
    pub name: Option<&'a str>,
    /// Which one, where there are several.
    pub platform: &'a Platform,
    /// Who to be.
    pub credentials: &'a Credentials,
    /// Registries, as `host` or `host:port`, that are spoken to without encryption.
    pub insecure: &'a [String],
    /// How long to wait and how often to try.
    pub patience: Patience,
    /// What time it is, as it will be written down.
    pub now: &'a str,
    /// Who is told.
    pub listener: &'a Listener,
}

/// How long to wait and how often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the next byte.
    pub read: Duration,
    /// For everything.
    pub whole: Duration,
    /// How often a request is made in all.
    pub attempts: u32,
    /// How long to wait before the second time; then twice as long, and so on.
    pub backoff: Duration,
}

/// A registry as one pull sees it.
struct Session<'a> {
    client: Client,
    reference: Reference,
    /// The digest that the reference itself demands.
    pinned: Option<Digest>,
    auth: RegistryAuth,
    store: &'a Store,
    request: &'a PullRequest<'a>,
}

/// What a pull has come to before anything is unpacked.
enum Fetched {
    /// The image is in the store already.
    There(Digest),
    /// What is to be unpacked, and the blobs that are not needed afterwards.
    New(Box<Plan>, Vec<Digest>),
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            whole: Duration::from_secs(60 * 60),
            attempts: 4,
            backoff: Duration::from_millis(500),
        }
    }
}

impl Store {
    /// Brings an image in from a registry. One that is there already is only named.
    pub async fn pull(&self, request: &PullRequest<'_>) -> Result<Image, PullError> {
        request.name.map(check_name).transpose()?;
        self.prepare().map_err(ImageError::from)?;
        let session = Session::open(self, request)?;
        let whole = request.patience.whole;
        let fetched = tokio::time::timeout(whole, session.fetch()).await;
        let fetched = fetched.map_err(|_| PullError::TimedOut { seconds: whole.as_secs() })??;
        session.keep(fetched).await
    }
}

impl<'a> Session<'a> {
    fn open(store: &'a Store, request: &'a PullRequest<'a>) -> Result<Session<'a>, PullError> {
        let (reference, pinned) = failure::reference(request.reference)?;
        let registry = reference.resolve_registry();
        let protocol = if is_plain(registry, request.insecure) {
            ClientProtocol::HttpsExcept(vec![registry.to_owned()])
        } else {
            ClientProtocol::Https
        };
        choose_cryptography();
        let config = ClientConfig {
            protocol,
            connect_timeout: Some(request.patience.connect),
            read_timeout: Some(request.patience.read),
            user_agent: concat!("guild/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        };
        let client = Client::try_from(config).map_err(|error| failure::failed(&reference, error))?;
        let auth = request.credentials.of(registry);
        Ok(Session { client, reference, pinned, auth, store, request })
    }

    /// Fetches everything that the image is made of, unless it is there.
    async fn fetch(&self) -> Result<Fetched, PullError> {
        let (digest, manifest) = self.manifest().await?;
        manifest.check()?;
        self.announce(digest, &manifest)?;
        if self.store.holds(&digest)? {
            return Ok(Fetched::There(digest));
        }
        // The configuration first: it says whether the rest is worth the while.
        let file = self.blob(&manifest.config).await?;
        let mut plan = begin(digest, &manifest, file)?;
        plan.check_platform(self.request.platform)?;
        let mut seen = HashSet::new();
        let layers: Vec<&Descriptor> =
            manifest.layers.iter().filter(|layer| seen.insert(layer.digest)).collect();
        let fetches = layers
            .into_iter()
            .map(|layer| async move { self.blob(layer).await.map(|file| (layer.digest, file)) });
        let files: Vec<(Digest, File)> =
            stream::iter(fetches).buffer_unordered(AT_ONCE).try_collect().await?;
        plan.layers = layer_plans(&plan.config, &manifest, &files)?;
        let blobs = std::iter::once(&manifest.config).chain(&manifest.layers).map(|blob| blob.digest);
        Ok(Fetched::New(Box::new(plan), blobs.collect()))
    }

    /// Unpacks what was fetched, beside the thread that waits for it, and gives it its name.
    async fn keep(&self, fetched: Fetched) -> Result<Image, PullError> {
        let store = self.store.clone();
        let request = self.request;
        let names = [request.name.map_or_else(|| self.reference.whole(), str::to_owned)];
        let source = self.reference.whole();
        let (now, listener) = (request.now.to_owned(), request.listener.clone());
        let kept = tokio::task::spawn_blocking(move || {
            let keeping = Keeping { names: &names, source: &source, now: &now, listener: &listener };
            match fetched {
                Fetched::There(digest) => store.name(&digest, &keeping),
                Fetched::New(plan, blobs) => {
                    let kept = store.keep(&plan, &keeping);
                    // What cannot be unpacked now, for want of room for instance, need not be fetched again. What is no image never
                    // will be.
                    if !matches!(kept, Err(ImageError::Io { .. } | ImageError::Store(_))) {
                        store.forget_blobs(&blobs);
                    }
                    kept
                }
            }
        });
        let kept = kept.await.map_err(|error| ImageError::invalid("the image", error.to_string()))?;
        Ok(kept?)
    }
}

/// What is known of an image from its configuration.
fn begin(digest: Digest, manifest: &Manifest, file: File) -> Result<Plan, ImageError> {
    let what = "the configuration";
    let section = Section::whole(file).map_err(|error| ImageError::reading(what, error))?;
    let bytes = section.read_named(what, &manifest.config.digest, CONFIG_BYTES)?;
    let config: Config = parse(what, &bytes)?;
    Ok(Plan { digest: Some(digest), kind: Kind::Manifest, config, layers: Vec::new(), names: Vec::new() })
}

fn layer_plans(
    config: &Config,
    manifest: &Manifest,
    files: &[(Digest, File)],
) -> Result<Vec<LayerPlan>, ImageError> {
    let ids = diff_ids(config, manifest.layers.len())?;
    let plan = |(layer, diff_id): (&Descriptor, Option<Digest>)| {
        let what = format!("layer {}", layer.digest);
        let file = files.iter().find(|(digest, _)| *digest == layer.digest);
        let (_, file) = file.ok_or_else(|| ImageError::invalid(&what, "it was not fetched"))?;
        let bytes = file.try_clone().and_then(Section::whole);
        Ok(LayerPlan {
            bytes: bytes.map_err(|error| ImageError::reading(&what, error))?,
            what,
            digest: Some(layer.digest),
            diff_id,
            media_type: Some(layer.media_type.clone()),
        })
    };
    manifest.layers.iter().zip(ids).map(plan).collect()
}

/// Whether a registry is spoken to without encryption: one of this machine, or one that the caller has named.
fn is_plain(registry: &str, insecure: &[String]) -> bool {
    let host = match registry.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => registry,
    };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    is_here || insecure.iter().any(|named| named == registry || named == host)
}

/// Chooses the library behind TLS, once for the process; whoever chose before is left alone.
fn choose_cryptography() {
    static CHOSEN: OnceLock<()> = OnceLock::new();
    CHOSEN.get_or_init(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_registries_of_this_machine_and_named_ones_are_plain() {
        let named = ["registry.lan:5000".to_owned(), "old.lan".to_owned()];
        for registry in [
            "localhost",
            "localhost:5000",
            "127.0.0.1:5000",
            "127.9.9.9",
            "[::1]:5000",
            "registry.lan:5000",
            "old.lan:80",
        ] {
            assert!(is_plain(registry, &named), "{registry}");
        }
        for registry in [
            "index.docker.io",
            "registry.lan",
            "registry.lan:443",
            "localhost.evil.example",
            "127.0.0.1.nip.io:80",
            "10.0.0.1",
        ] {
            assert!(!is_plain(registry, &named), "{registry}");
        }
    }
}
