//! `guild serve`

use crate::logs;
use crate::premises::{self, failed};
use crate::runtime;
use crate::ui::Ui;
use guild_engine::ledger::DEFAULT_AGENT;
use guild_engine::{Envelope, LoginKey, Refusal, counted, reply, token_list};
use guild_mcp::Http;
use guild_web::{Limits, Listener, Settings, Site};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Where MCP is.
const MCP: &str = "/mcp";

/// Serve skills to agents over HTTP
///
/// The first line on standard output is the address, and the second a link that opens the page once, in a browser on this machine
/// (`guild login` makes another). MCP is at `/mcp`, in both eras of the protocol, and everything else that `guild` does at `/api/v1`,
/// as `/api/v1/openapi.json` describes it; `/health` and `/ready` say whether the server is there and can work, `/metrics` what it
/// has done, for Prometheus. Programs that ask for more than the first two bring a token (`guild token create --agent NAME`), on this
/// machine too, and the token says which agent they are. It is plain HTTP: for other machines put it behind something that speaks TLS. Ctrl-C ends it, once what is
/// under way is done.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The address to listen on; other machines reach it only where this says so, and port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,
    /// A name of this machine, beside those of the loopback, that requests may be meant for (can be repeated)
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// A page, beside the server's own, that may ask, such as `https://example.org` (can be repeated)
    #[arg(long = "origin", value_name = "URL")]
    origins: Vec<String>,
    /// Requests that each token may make in a second
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().rate, value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    rate: u32,
    /// Requests that each token may have under way at once
    #[arg(long, value_name = "COUNT", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..))]
    requests: u16,
    /// How long a client may take to send its request, or to read a piece of the answer
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
    /// Write a line for every request to standard error: how, where, with what result, how long, by which agent
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, default_missing_value = "text")]
    log: Option<logs::Form>,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match runtime::block_on(serve(args, ui)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(refusal)) => refused(ui, refusal),
        Err(error) => refused(ui, failed(&error)),
    }
}

async fn serve(args: &Args, ui: &Ui) -> Result<(), Refusal> {
    let mut signals = Signals::new().map_err(|error| failed(&error))?;
    if let Some(form) = args.log {
        logs::begin(form).map_err(|error| failed(&error))?;
    }
    let premises = premises::open(ui).await?;
    let listener = Listener::bind(args.settings(), &premises).await?;
    let tokens = token_list(&premises.books, premises.now()).await.data.count;
    let http = Http::new(premises::server(Arc::clone(&premises), DEFAULT_AGENT, ui)?);
    let answering = http.clone();
    let key = LoginKey::make(&ui.places(), listener.address())?;
    let login = key.as_ref().map(|key| key.link(ui.moment())).transpose()?;
    let api = guild_web::api(&premises);
    let warming = Arc::clone(&premises);
    tokio::task::spawn_blocking(move || warming.warm_up());
    let site = Site::new(premises).merge(api).mount(MCP, move |request| {
        let http = answering.clone();
        async move { http.answer(request).await }
    });
    let site = match key {
        Some(key) => site.welcome(key),
        None => site,
    };
    tell(ui, listener.address(), tokens, login).map_err(|error| failed(&error))?;
    let (close, closed) = oneshot::channel::<()>();
    let ending = async {
        signals.next().await;
        ui.tell_line("ends once what is under way is done; Ctrl-C again ends it at once");
        http.close();
        close.send(()).ok();
        signals.next().await;
    };
    tokio::select! {
        () = listener.serve(site, async { closed.await.unwrap_or_default() }) => {}
        () = http.watch() => {}
        () = ending => {}
    }
    http.end();
    Ok(())
}

impl Args {
    fn settings(&self) -> Settings {
        let limits = Limits {
            rate: self.rate,
            requests: self.requests.into(),
            patience: Duration::from_secs(self.patience),
            ..Limits::default()
        };
        Settings { listen: self.listen, hosts: self.hosts.clone(), origins: self.origins.clone(), limits }
    }
}

/// Says where it is, first of all.
fn tell(ui: &Ui, address: SocketAddr, tokens: usize, login: Option<String>) -> std::io::Result<()> {
    let address = format!("http://{address}");
    let mcp = format!("{address}{MCP}");
    let message = match tokens {
        0 => format!("MCP is at {mcp}; nobody has a token yet: `guild token create --agent NAME` makes one"),
        _ => format!("MCP is at {mcp}; {} let somebody in", counted(tokens, "token")),
    };
    let envelope = Envelope::ok(reply::Serve { address, mcp, tokens, login }).with_message(message);
    ui.print(&envelope, |data, _, out| {
        writeln!(out, "{}", data.address)?;
        data.login.iter().try_for_each(|login| writeln!(out, "{login}"))
    })
}

/// Tells when somebody wants the server to end.
#[cfg(unix)]
struct Signals {
    interrupted: tokio::signal::unix::Signal,
    terminated: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupted: signal(SignalKind::interrupt())?,
            terminated: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
    }
}

/// The same where Ctrl-C is all that there is.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        tokio::signal::ctrl_c().await.ok();
    }
}

fn refused(ui: &Ui, refusal: Refusal) -> ExitCode {
    let envelope: Envelope<reply::Serve> = refusal.into_envelope();
    ui.finish(&envelope, |_, _, _| Ok(()))
}
