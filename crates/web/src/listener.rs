//! The listener: an address, and connections to it that are kept for as long as their clients are neither idle nor slow.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use guild_engine::{Code, Premises, Refusal, token_list};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

use crate::settings::{Limits, Settings};
use crate::site::Site;

/// How long nobody is let in after the system had no more to give.
const PAUSE: Duration = Duration::from_millis(100);

/// An address that is listened on.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    address: SocketAddr,
    settings: Settings,
}

impl Listener {
    /// Listens; elsewhere than on the loopback only where somebody has a token.
    pub async fn bind(settings: Settings, premises: &Premises) -> Result<Self, Refusal> {
        let wanted = settings.listen;
        if !wanted.ip().is_loopback() {
            let tokens = token_list(&premises.books, premises.now()).await;
            if tokens.data.count == 0 {
                let message = format!(
                    "other machines reach {wanted}, and nobody has a token yet; make one with `guild token create --agent NAME`, or listen on 127.0.0.1"
                );
                return Err(Refusal::new(Code::ListenUnprotected, message));
            }
        }
        let failed = |error: io::Error| {
            let message = format!("cannot listen on {wanted}: {error}; `--listen` names another address");
            Refusal::new(Code::ListenFailed, message)
        };
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, settings })
    }

    /// Where it listens, with the port that it got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves a site until told to end, and then what is under way for a while.
    pub async fn serve(self, site: Site, until: impl Future<Output = ()>) {
        let (router, live) = site.router(self.address, &self.settings);
        let limits = &self.settings.limits;
        let (graceful, places) = (GracefulShutdown::new(), Arc::new(Semaphore::new(limits.connections)));
        let mut until = pin!(until);
        loop {
            let accepted = tokio::select! {
                () = &mut until => break,
                accepted = accept(&self.listener, &places) => accepted,
            };
            match accepted {
                Ok((stream, place)) => {
                    let served = graceful.watch(connection(stream, router.clone(), limits));
                    tokio::spawn(async move {
                        // A client that breaks off, or is cut off, has only itself to tell.
                        served.await.ok();
                        drop(place);
                    });
                }
                Err(_) => sleep(PAUSE).await,
            }
        }
        drop(self.listener);
        live.end();
        timeout(limits.grace, graceful.shutdown()).await.ok();
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    Ok((listener.accept().await?.0, place))
}

type Io = TokioIo<std::pin::Pin<Box<TimeoutStream<TcpStream>>>>;

fn connection(
    stream: TcpStream,
    router: Router,
    limits: &Limits,
) -> http1::Connection<Io, TowerToHyperService<Router>> {
    // What is small is not kept back; one that cannot be told so is only slower.
    stream.set_nodelay(true).ok();
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.patience));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.patience)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router))
}
