//! The way to the person's MCP servers for commands that install: a workshop that is put together when the first server is asked.

use crate::ui::Ui;
use guild_engine::ports::{OfferedSkill, Pending, Shelf, ToolError, ToolProvider};
use guild_engine::source::store::Store;
use guild_engine::{Backends, Books, Hall, Images, Places, Workshop, container_backends};
use guild_mcp::McpTools;
use std::sync::OnceLock;

/// Everything that reaching a server needs; most commands that install never ask one.
pub struct LateShelf<'a> {
    ui: &'a Ui,
    hall: &'a Hall,
    places: &'a Places,
    store: &'a Store,
    books: &'a Books,
    /// What is kept of servers between two questions.
    providers: [Box<dyn ToolProvider>; 1],
    containers: OnceLock<(Images, Backends)>,
    clock: Box<dyn Fn() -> std::time::SystemTime + Send + Sync + 'a>,
}

impl<'a> LateShelf<'a> {
    /// Nothing is put together yet.
    pub fn new(
        ui: &'a Ui,
        hall: &'a Hall,
        (places, store): (&'a Places, &'a Store),
        books: &'a Books,
    ) -> Self {
        let providers: [Box<dyn ToolProvider>; 1] = [Box::new(McpTools::default())];
        let clock = Box::new(|| ui.now());
        Self { ui, hall, places, store, books, providers, containers: OnceLock::new(), clock }
    }

    fn workshop(&self) -> Workshop<'_> {
        let made = || (self.ui.images(), container_backends(&self.ui.surroundings()));
        let (images, backends) = self.containers.get_or_init(made);
        Workshop {
            hall: self.hall,
            places: self.places,
            images,
            backends,
            store: self.store,
            books: self.books,
            providers: &self.providers,
            subagents: None,
            approver: None,
            patience: None,
            clock: &*self.clock,
        }
    }
}

impl Shelf for LateShelf<'_> {
    fn skills<'a>(&'a self, server: &'a str) -> Pending<'a, Result<Vec<OfferedSkill>, ToolError>> {
        Box::pin(async move { self.workshop().skills(server).await })
    }

    fn file<'a>(&'a self, server: &'a str, uri: &'a str) -> Pending<'a, Result<Vec<u8>, ToolError>> {
        Box::pin(async move { self.workshop().file(server, uri).await })
    }
}
