//! Telling clients that skills came, went or changed, in the way of each era.

use std::sync::{Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::broadcast;

/// Who is told.
pub(crate) struct Changes {
    /// Clients that have shaken hands; they are told unasked.
    peers: Mutex<Vec<Peer<RoleServer>>>,
    /// Those who have asked.
    told: broadcast::Sender<()>,
}

impl Default for Changes {
    fn default() -> Self {
        Self { peers: Mutex::new(Vec::new()), told: broadcast::channel(16).0 }
    }
}

impl Changes {
    /// What can be listened to: the tools never change.
    pub(crate) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::new();
        accepted.prompts_list_changed = requested.prompts_list_changed.filter(|wanted| *wanted);
        accepted.resources_list_changed = requested.resources_list_changed.filter(|wanted| *wanted);
        accepted
    }

    /// Remembers a client that has shaken hands.
    pub(crate) fn add(&self, peer: Peer<RoleServer>) {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner).push(peer);
    }

    /// Tells everybody.
    pub(crate) async fn tell(&self) {
        self.told.send(()).ok();
        let peers = std::mem::take(&mut *self.peers.lock().unwrap_or_else(PoisonError::into_inner));
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
        let mut heard = self.told.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return,
                told = heard.recv() => match told {
                    Ok(()) | Err(broadcast::error::RecvError::Lagged(_)) => pass_on(context).await,
                    Err(broadcast::error::RecvError::Closed) => return,
                },
            }
        }
    }
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
