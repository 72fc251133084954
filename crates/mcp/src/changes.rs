//! Telling clients that skills came, went or changed, in the way of each era.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::broadcast;
use tokio::task;
use tokio_util::sync::CancellationToken;

/// Who is told.
pub(crate) struct Changes {
    /// Clients that have shaken hands; they are told unasked.
    peers: Mutex<Vec<Peer<RoleServer>>>,
    /// Those who have asked.
    told: broadcast::Sender<()>,
    /// What those will hear who are just being told that they are heard, by the task that does it. Whoever begins to listen only
    /// afterwards misses what happens in between.
    promised: Mutex<HashMap<Option<task::Id>, broadcast::Receiver<()>>>,
    /// Nothing more will be told.
    over: CancellationToken,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            peers: Mutex::default(),
            told: broadcast::channel(16).0,
            promised: Mutex::default(),
            over: CancellationToken::new(),
        }
    }
}

impl Changes {
    /// What can be listened to, and is from now on: the tools never change.
    pub(crate) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        held(&self.promised).insert(task::try_id(), self.told.subscribe());
        let mut accepted = SubscriptionFilter::new();
        accepted.prompts_list_changed = requested.prompts_list_changed.filter(|wanted| *wanted);
        accepted.resources_list_changed = requested.resources_list_changed.filter(|wanted| *wanted);
        accepted
    }

    /// Remembers a client that has shaken hands, and forgets those that have gone.
    pub(crate) fn add(&self, peer: Peer<RoleServer>) {
        let mut peers = held(&self.peers);
        peers.retain(|peer| !peer.is_transport_closed());
        peers.push(peer);
    }

    /// Ends what listens, and what will.
    pub(crate) fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Tells everybody.
    pub(crate) async fn tell(&self) {
        self.told.send(()).ok();
        let peers = std::mem::take(&mut *held(&self.peers));
        for peer in peers {
            let told = peer.notify_prompt_list_changed().await.and(peer.notify_resource_list_changed().await);
            // Whoever cannot be told is gone.
            if told.is_ok() {
                self.add(peer);
            }
        }
    }

    /// Passes on what happens until the client has heard enough.
    pub(crate) async fn follow(&self, context: &SubscriptionContext) {
        let promised = held(&self.promised).remove(&task::try_id());
        let mut heard = promised.unwrap_or_else(|| self.told.subscribe());
        loop {
            tokio::select! {
                () = context.cancelled() => return,
                () = self.over.cancelled() => return,
                told = heard.recv() => match told {
                    Ok(()) | Err(broadcast::error::RecvError::Lagged(_)) => pass_on(context).await,
                    Err(broadcast::error::RecvError::Closed) => return,
                },
            }
        }
    }
}

fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn pass_on(context: &SubscriptionContext) {
    let accepted = context.accepted();
    if accepted.prompts_list_changed == Some(true) {
        let note =
            ServerNotification::PromptListChangedNotification(PromptListChangedNotification::default());
        context.sink().send(note).await.ok();
    }
    if accepted.resources_list_changed == Some(true) {
        let note =
            ServerNotification::ResourceListChangedNotification(ResourceListChangedNotification::default());
        context.sink().send(note).await.ok();
    }
}
