//! The server of `guild serve` in a small world of its own, with the conformance suite's tools, resources and prompts as a guest.
//!
//! It prints its address, then a token, and ends when its standard input does. `cargo xtask mcp-conformance` runs it.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "it stands for the command in a test: it says where it is, knows the time, and fails where it cannot go on"
)]

use guild_engine::catalog::Machine;
use guild_engine::containers::Surroundings;
use guild_engine::ledger::via;
use guild_engine::manifest::config::Layer;
use guild_engine::{
    ConfigFile, Images, Opening, Places, Premises, Principal, TokenRequest, container_backends, containers,
    token_create,
};
use guild_mcp::{Http, Server, Settings};
use guild_testkit::{Fixture, SuiteGuest};
use guild_web::{Limits, Listener, Site};
use std::io::{Read as _, stdin};
use std::sync::Arc;
use std::time::SystemTime;

const WORLD: &str = "
//- /home/
//- /etc/
//- /project/.git/
//- /project/.guild/skills/greet/SKILL.md
---
name: greet
description: Greets somebody
metadata:
  version: '1.10'
  tags: [a, b]
---
Greet them.
//- /project/.guild/skills/greet/references/deep/manners.md
Be kind.
//- /project/.guild/skills/greet/logo.bin
not text
";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let world = Fixture::write(WORLD);
    runtime.block_on(serve(&world));
    runtime.shutdown_background();
}

async fn serve(world: &Fixture) {
    let premises = Arc::new(Premises::open(opening(world)).await.expect("premises"));
    let asked = TokenRequest {
        label: "suite",
        agent: Some("suite"),
        role: guild_engine::ledger::Role::Viewer,
        lifetime: None,
    };
    let by = Principal::person(via::FLAG);
    let token = token_create(&premises.books, premises.now(), &asked, by).await.data.secret.expect("a token");
    let settings = guild_web::Settings {
        listen: "127.0.0.1:0".parse().expect("an address"),
        hosts: Vec::new(),
        origins: Vec::new(),
        limits: Limits::default(),
    };
    let listener = Listener::bind(settings, &premises).await.expect("a port");
    let key = containers::random_bytes().expect("random bytes");
    let settings = Settings { agent: "default".to_owned(), version: "0".to_owned() };
    let http = Http::new(Server::new(Arc::clone(&premises), settings, key).with_guest(Arc::new(SuiteGuest)));
    let answering = http.clone();
    let site = Site::new(premises).mount("/mcp", move |request| {
        let http = answering.clone();
        async move { http.answer(request).await }
    });
    println!("http://{}/mcp\n{token}", listener.address());
    let ended = tokio::task::spawn_blocking(|| stdin().read_to_end(&mut Vec::new()).ok());
    let closing = async {
        ended.await.ok();
        http.close();
    };
    tokio::select! {
        () = listener.serve(site, closing) => {}
        () = http.watch() => {}
    }
}

fn opening(world: &Fixture) -> Opening {
    let home = world.join("home");
    let machine = Machine {
        directory: world.join("project"),
        home: Some(home.clone()),
        etc: Some(world.join("etc")),
        os: std::env::consts::OS.to_owned(),
        ..Machine::default()
    };
    let places = Places {
        data: Some(home.join("data")),
        state: Some(home.join("state")),
        cache: Some(home.join("cache")),
    };
    let config = || ConfigFile {
        layer: Layer::User,
        path: "config.toml".to_owned(),
        content: Ok(b"builtins = false\n".to_vec()),
    };
    let images = Images::open(&places, &machine, &guild_engine::configure(&[config()]).config.sandbox);
    Opening {
        providers: Vec::new(),
        subagents: None,
        places,
        images,
        backends: container_backends(&Surroundings::default()),
        look: Box::new(move || (Machine { now: Some(SystemTime::now()), ..machine.clone() }, vec![config()])),
        clock: Box::new(SystemTime::now),
    }
}
