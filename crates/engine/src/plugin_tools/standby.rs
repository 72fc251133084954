//! Tools that stand by: one that asks for it is started before it is called, so that a call costs no start.
//!
//! A worker of our own kit answers call after call, each in a copy of itself that was made before the call came, and is kept for one
//! tool in one state, one agent and one environment. Of any other program a container answers one call and is gone, and the next one is
//! started meanwhile. Either way nothing of a call is there for another one: no process, no file, no memory. One that nobody calls is
//! let go after a while. Only processes that live on keep any, and only for tools that look: one that asks every time is never
//! started before it was allowed.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use guild_manifest::Digest;
use guild_manifest::config::Sandbox;
use guild_sandbox::image::Resolved;
use guild_sandbox::{Command, Policy, Stdin};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::call::request;
use super::contained::{container, told};
use super::failure;
use super::kit::Kit;
use super::shipped::{Offer, Shipped, Start as Begun};
use super::worker::{LONGEST_ANSWER, Worker};
use crate::ports::{ToolCall, ToolError, ToolResult};
use crate::sandbox::{Backends, LimitRequest};
use crate::servers::Conversation;
use crate::workshop::Workshop;

/// How long one waits for a call.
const IDLE: Duration = Duration::from_secs(60);
/// How often it is looked whether one has waited too long.
const SWEEP: Duration = Duration::from_secs(5);
/// How long one is used; whoever calls then gets a new one.
const LIFE: Duration = Duration::from_secs(10 * 60);
/// No more stand by at once.
const MOST: usize = 16;
/// No more plugins are remembered.
const MOST_READ: usize = 64;
/// What tells a program that it is asked over its standard input.
const MARK: (&str, &str) = ("GUILD_WARM", "1");

/// The tools that stand by.
#[derive(Clone, Default)]
pub(crate) struct Standbys(Arc<House>);

#[derive(Default)]
struct House {
    held: Mutex<Held>,
    /// Told whenever a worker is ready again, or will never be.
    reset: Notify,
}

#[derive(Default)]
struct Held {
    waiting: HashMap<Key, Vec<Waiting>>,
    /// What was read of plugins.
    read: HashMap<Read, Arc<Shipped>>,
    /// How many have answered and are not ready yet.
    resetting: HashMap<Key, usize>,
    is_swept: bool,
}

/// A plugin by name, its files and the image that its tools run in.
pub(super) type Read = (String, Digest, String);

struct Waiting {
    worker: Worker,
    since: Instant,
}

/// What one was started for: a tool, its code and its image, an agent, and the values of its variables.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    tool: String,
    code: String,
    image: String,
    agent: String,
    env: BTreeMap<String, String>,
}

/// Everything that starting one takes.
struct Start {
    backends: Backends,
    settings: Sandbox,
    policy: Policy,
    command: Command,
    image: Resolved,
    resets: bool,
}

impl Start {
    async fn begin(self) -> Result<Worker, ToolError> {
        let what = (&self.policy, &self.command);
        let begun = Conversation::begin(&self.backends, &self.settings, what, self.image).await;
        Ok(Worker::of(begun.map_err(failure)?, self.resets))
    }
}

impl Held {
    fn count(&self) -> usize {
        self.waiting.values().map(Vec::len).sum()
    }

    /// One that is not too old.
    fn take(&mut self, key: &Key) -> Option<Worker> {
        let waiting = self.waiting.get_mut(key)?;
        waiting.retain(|one| one.worker.born.elapsed() < LIFE);
        waiting.pop().map(|one| one.worker)
    }

    fn is_reset(&mut self, key: &Key) {
        let left = self.resetting.remove(key).unwrap_or_default().saturating_sub(1);
        if left > 0 {
            self.resetting.insert(key.clone(), left);
        }
    }

    fn keep(&mut self, holds: impl Fn(&Waiting) -> bool) {
        self.waiting.retain(|_, waiting| {
            waiting.retain(&holds);
            !waiting.is_empty()
        });
    }
}

impl Standbys {
    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was read of a plugin before.
    pub(super) fn read_before(&self, key: &Read) -> Option<Arc<Shipped>> {
        self.held().read.get(key).cloned()
    }

    /// Remembers what was read of a plugin.
    pub(super) fn remember(&self, key: Read, shipped: &Arc<Shipped>) {
        let mut held = self.held();
        if held.read.len() >= MOST_READ {
            held.read.clear();
        }
        held.read.insert(key, Arc::clone(shipped));
    }

    /// One that waits, or will in a moment.
    async fn take(&self, key: &Key) -> Option<Worker> {
        loop {
            let mut told = pin!(self.0.reset.notified());
            told.as_mut().enable();
            {
                let mut held = self.held();
                let found = held.take(key);
                if found.is_some() || !held.resetting.contains_key(key) {
                    return found;
                }
            }
            told.await;
        }
    }

    fn put(&self, key: Key, worker: Worker) {
        let mut held = self.held();
        if held.count() >= MOST {
            return;
        }
        held.waiting.entry(key).or_default().push(Waiting { worker, since: Instant::now() });
        if !std::mem::replace(&mut held.is_swept, true) {
            tokio::spawn(self.clone().sweep());
        }
    }

    /// Lets go of those that nobody has called, until none is left.
    async fn sweep(self) {
        loop {
            sleep(SWEEP).await;
            let mut held = self.held();
            held.keep(|one| one.since.elapsed() < IDLE);
            if held.waiting.is_empty() {
                held.is_swept = false;
                return;
            }
        }
    }

    /// Starts one in the background.
    fn prepare(&self, key: Key, start: Start) {
        let is_there = self.held().waiting.get(&key).is_some_and(|waiting| !waiting.is_empty());
        if is_there {
            return;
        }
        let standbys = self.clone();
        tokio::spawn(async move {
            // One that cannot be started is started by the next call, which says why it cannot.
            if let Ok(worker) = start.begin().await {
                standbys.put(key, worker);
            }
        });
    }

    /// Takes one back that has answered, once nothing of that is left.
    fn take_back(&self, key: Key, mut worker: Worker) {
        *self.held().resetting.entry(key.clone()).or_default() += 1;
        let standbys = self.clone();
        tokio::spawn(async move {
            let is_ready = worker.is_reset().await;
            standbys.held().is_reset(&key);
            if is_ready {
                standbys.put(key, worker);
            }
            standbys.0.reset.notify_waiters();
        });
    }
}

impl Shipped {
    /// Calls a tool that was started before, or is started now.
    pub(super) async fn run_warm(
        &self,
        workshop: &Workshop<'_>,
        tool: &Offer,
        call: &ToolCall<'_>,
        standbys: &Standbys,
    ) -> Result<ToolResult, ToolError> {
        let key = Key {
            tool: call.tool.to_owned(),
            code: self.staged.digest.to_string(),
            image: self.image.clone(),
            agent: call.agent.to_owned(),
            env: workshop.environment(&self.environment()).await.map_err(told)?,
        };
        let mut worker = match standbys.take(&key).await {
            Some(waiting) => waiting,
            None => self.start(workshop, tool, key.env.clone())?.begin().await?,
        };
        if !resets(tool) {
            standbys.prepare(key.clone(), self.start(workshop, tool, key.env.clone())?);
        }
        let patience = LimitRequest::default().over(workshop.images.settings()).timeout;
        let told = worker.ask(&request(&tool.name, call), Instant::now() + patience).await;
        // One whose time was up is at work still: it ends with its container.
        if resets(tool) && !matches!(told, Err(ToolError::TimedOut(_))) {
            standbys.take_back(key, worker);
        }
        told
    }

    fn start(
        &self,
        workshop: &Workshop<'_>,
        tool: &Offer,
        mut env: BTreeMap<String, String>,
    ) -> Result<Start, ToolError> {
        let settings = workshop.images.settings();
        env.insert(MARK.0.to_owned(), MARK.1.to_owned());
        let mut container = container(&self.staged.root, &Kit::in_store(workshop.store)?, env);
        let patience = LimitRequest::default().over(settings).timeout;
        container.limits = LimitRequest {
            timeout: Some(patience + LIFE + IDLE),
            output: Some(LONGEST_ANSWER as u64),
            ..LimitRequest::default()
        };
        let image = workshop.images.resolve(None).map_err(failure)?;
        let policy = container.policy(settings, image.root.clone(), &[]).map_err(failure)?;
        let command = Command {
            argv: self.words(tool, "serve")?.into_iter().map(Into::into).collect(),
            cwd: "/skill".into(),
            env: BTreeMap::new(),
            stdin: Stdin::Conversation,
        };
        let (backends, settings) = (workshop.backends.clone(), settings.clone());
        Ok(Start { backends, settings, policy, command, image, resets: resets(tool) })
    }
}

/// Whether the program is our own, which leaves nothing of a call.
fn resets(tool: &Offer) -> bool {
    matches!(tool.run, Begun::Function { .. })
}
