//! Telling clients that skills came, went or changed, in the way of each era.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter, ToolListChangedNotification,
};
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::broadcast;
use tokio::task;
use tokio_util::sync::CancellationToken;

use crate::uri;

/// Resources that are watched one by one, all sessions together.
const WATCHED: usize = 10_000;

/// Clients at once that are just being told that they are heard; one more may miss what happens at that moment.
const PROMISED: usize = 1_000;

/// The qualified names of skills that are not what they were.
type Names = Arc<Vec<String>>;

/// Who is told.
pub(crate) struct Changes {
    /// Whether skills are among the tools, which are others then when skills are.
    tells_of_tools: bool,
    /// Clients that have shaken hands; they are told unasked.
    peers: Mutex<Vec<Peer<RoleServer>>>,
    /// Resources that clients with a session watch.
    watched: Mutex<Vec<Watched>>,
    /// Those who have asked.
    told: broadcast::Sender<Names>,
    /// What those will hear who are just being told that they are heard, by the task that does it. Whoever begins to listen only
    /// afterwards misses what happens in between.
    promised: Mutex<HashMap<Option<task::Id>, broadcast::Receiver<Names>>>,
    /// Nothing more will be told.
    over: CancellationToken,
}

struct Watched {
    session: u64,
    peer: Peer<RoleServer>,
    uri: String,
}

impl Changes {
    /// Nobody is told anything yet.
    pub(crate) fn new(tells_of_tools: bool) -> Self {
        Self {
            tells_of_tools,
            peers: Mutex::default(),
            watched: Mutex::default(),
            told: broadcast::channel(16).0,
            promised: Mutex::default(),
            over: CancellationToken::new(),
        }
    }

    /// Whether skills are among the tools.
    pub(crate) const fn tells_of_tools(&self) -> bool {
        self.tells_of_tools
    }

    /// What can be listened to, and is from now on: the tools never change where no skill is one.
    pub(crate) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut promised = held(&self.promised);
        // Clients that were cut off before they began to listen have left theirs behind.
        if promised.len() >= PROMISED {
            promised.clear();
        }
        promised.insert(task::try_id(), self.told.subscribe());
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed =
            requested.tools_list_changed.filter(|wanted| *wanted && self.tells_of_tools);
        accepted.prompts_list_changed = requested.prompts_list_changed.filter(|wanted| *wanted);
        accepted.resources_list_changed = requested.resources_list_changed.filter(|wanted| *wanted);
        accepted.resource_subscriptions = requested.resource_subscriptions.clone();
        accepted
    }

    /// Remembers a client that has shaken hands, and forgets those that have gone.
    pub(crate) fn add(&self, peer: Peer<RoleServer>) {
        let mut peers = held(&self.peers);
        peers.retain(|peer| !peer.is_transport_closed());
        peers.push(peer);
    }

    /// Has a session told when a resource changes.
    pub(crate) fn watch(&self, session: u64, peer: Peer<RoleServer>, uri: String) -> Result<(), ErrorData> {
        let mut watched = held(&self.watched);
        watched.retain(|known| {
            !known.peer.is_transport_closed() && (known.session != session || known.uri != uri)
        });
        if watched.len() >= WATCHED {
            return Err(ErrorData::internal_error("too many resources are watched", None));
        }
        watched.push(Watched { session, peer, uri });
        Ok(())
    }

    /// Has it told no more.
    pub(crate) fn unwatch(&self, session: u64, uri: &str) {
        held(&self.watched).retain(|known| known.session != session || known.uri != uri);
    }

    /// Ends what listens, and what will.
    pub(crate) fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Tells everybody that these skills are not what they were.
    pub(crate) async fn tell(&self, names: Vec<String>) {
        let names = Arc::new(names);
        self.told.send(Arc::clone(&names)).ok();
        let peers = std::mem::take(&mut *held(&self.peers));
        for peer in peers {
            if self.tells_of_tools {
                peer.notify_tool_list_changed().await.ok();
            }
            let told = peer.notify_prompt_list_changed().await.and(peer.notify_resource_list_changed().await);
            // Whoever cannot be told is gone.
            if told.is_ok() {
                self.add(peer);
            }
        }
        let concerned: Vec<(Peer<RoleServer>, String)> = held(&self.watched)
            .iter()
            .filter(|watched| is_of(&watched.uri, &names))
            .map(|watched| (watched.peer.clone(), watched.uri.clone()))
            .collect();
        for (peer, uri) in concerned {
            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.ok();
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
                    Ok(names) => pass_on(context, Some(&names)).await,
                    // Nobody knows what was missed: it may have been anything.
                    Err(broadcast::error::RecvError::Lagged(_)) => pass_on(context, None).await,
                    Err(broadcast::error::RecvError::Closed) => return,
                },
            }
        }
    }
}

fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an address leads to one of these skills, or into it.
fn is_of(address: &str, names: &[String]) -> bool {
    names.iter().any(|name| {
        let skill = uri::of(name, None);
        address.strip_prefix(&skill).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

async fn pass_on(context: &SubscriptionContext, names: Option<&Names>) {
    let accepted = context.accepted();
    let mut notes = Vec::new();
    if accepted.tools_list_changed == Some(true) {
        notes.push(ServerNotification::ToolListChangedNotification(ToolListChangedNotification::default()));
    }
    if accepted.prompts_list_changed == Some(true) {
        notes.push(ServerNotification::PromptListChangedNotification(
            PromptListChangedNotification::default(),
        ));
    }
    if accepted.resources_list_changed == Some(true) {
        notes.push(ServerNotification::ResourceListChangedNotification(
            ResourceListChangedNotification::default(),
        ));
    }
    for uri in accepted.resource_subscriptions.iter().flatten() {
        if names.is_none_or(|names| is_of(uri, names)) {
            let param = ResourceUpdatedNotificationParam::new(uri.clone());
            notes.push(ServerNotification::ResourceUpdatedNotification(ResourceUpdatedNotification::new(
                param,
            )));
        }
    }
    for note in notes {
        context.sink().send(note).await.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, expected: bool) {
        assert_eq!(is_of(address, &["greet".to_owned(), "kit/a b".to_owned()]), expected, "{address}");
    }

    #[test]
    fn an_address_is_of_the_skill_that_it_leads_into() {
        for address in ["skill://greet", "skill://greet/SKILL.md", "skill://kit/a%20b/x/y.md"] {
            check(address, true);
        }
        for address in ["skill://greeting/SKILL.md", "skill://kit/SKILL.md", "test://greet", ""] {
            check(address, false);
        }
    }
}
