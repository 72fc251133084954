//! The premises: everything that a process owns which serves many callers for a long time, and the workshop it lends to each call.
//!
//! It sleeps nowhere and watches nothing by itself: whoever holds it decides when to look again.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use guild_catalog::{Freshness, Machine};
use guild_ledger::{Tally, Timestamp};
use guild_sandbox::Surroundings;
use guild_source::store::Store;
use tokio::sync::Semaphore;

use crate::hall::{ConfigFile, Hall, configure};
use crate::image::Images;
use crate::inquiry::PATIENCE;
use crate::jobs::Jobs;
use crate::live::{Change, Changes, Live, RefreshError};
use crate::plugin_tools::Standbys;
use crate::ports::{SubagentRunner, ToolProvider};
use crate::sandbox::{Backends, container_backends};
use crate::switching::Switching;
use crate::vet::Gate;
use crate::workshop::Workshop;
use crate::{Books, Code, Places, Refusal};

/// The machine and its configuration files, as they are now.
pub type Look = Box<dyn Fn() -> (Machine, Vec<ConfigFile>) + Send + Sync>;

/// What premises are made of.
pub struct Opening {
    /// Where Guildhall keeps its own things.
    pub places: Places,
    /// The root file systems.
    pub images: Images,
    /// What makes containers.
    pub backends: Backends,
    /// Who offers tools, beside our own.
    pub providers: Vec<Box<dyn ToolProvider>>,
    /// Who runs child agents, if anybody does.
    pub subagents: Option<Box<dyn SubagentRunner>>,
    /// Sees what there is.
    pub look: Look,
    /// Tells the time.
    pub clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
}

impl Opening {
    /// What a program needs that has the engine in it: the usual places in the machine's home, whatever makes containers here, no
    /// configuration and no tools but our own and those of plugins.
    pub fn of(machine: &Machine, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        let places = machine.home.as_deref().map(Places::of_home).unwrap_or_default();
        let surroundings = Surroundings { home: machine.home.clone(), ..Surroundings::default() };
        let looked = machine.clone();
        Self {
            images: Images::open(&places, machine, &configure(&[]).config.sandbox),
            backends: container_backends(&surroundings),
            providers: Vec::new(),
            subagents: None,
            look: Box::new(move || (looked.clone(), Vec::new())),
            clock: Box::new(clock),
            places,
        }
    }
}

/// What a process that serves owns.
pub struct Premises {
    /// What has happened and what is allowed.
    pub books: Books,
    /// The runs that are under way for callers.
    pub jobs: Jobs,
    live: Live,
    store: Store,
    opening: Opening,
    /// What has changed in looks that nobody was told of.
    untold: Mutex<Vec<Change>>,
    /// Room for those who compute at once. More of them would all be slower, and all have their memory.
    room: Semaphore,
}

impl Premises {
    /// Opens everything, and brings the books up to date.
    pub async fn open(mut opening: Opening) -> Result<Self, Refusal> {
        opening.backends.standbys = Some(Standbys::default());
        let (machine, files) = (opening.look)();
        let configured = configure(&files);
        let now = Timestamp::from((opening.clock)());
        let books =
            Books::open_to_write(&opening.places, &configured.config, &configured.ignored, now).await?;
        let switching = Switching::of(&books).await;
        let mut hall = Hall::open_switched(switching, machine, &files, Freshness::Indexed);
        hall.allow(&books).await?;
        hall.remember(&books).await?;
        hall.memory = Some(Arc::default());
        let store = opening.places.store()?.remembering();
        let (jobs, live) = (Jobs::default(), Live::of(hall));
        let room = Semaphore::new(thread::available_parallelism().map_or(1, NonZero::get) + 1);
        Ok(Self { books, jobs, live, store, opening, untold: Mutex::default(), room })
    }

    /// What there is: readers keep theirs while refreshes come and go.
    pub fn hall(&self) -> Arc<Hall> {
        self.live.current()
    }

    /// The same for whoever runs something: what another process has just switched off is off.
    pub async fn hall_to_run(self: &Arc<Self>) -> Arc<Hall> {
        let has_news = self.books.ledger.has_news().await.unwrap_or(true);
        if has_news && self.is_switched().await {
            self.catch_up().await;
        }
        self.hall()
    }

    /// The moment.
    pub fn now(&self) -> Timestamp {
        Timestamp::from((self.opening.clock)())
    }

    /// Where staged files and kept logs are.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Looks again and keeps what is found, unless something that was readable no longer is. The warnings that people have
    /// allowed stay those that were known before.
    pub async fn refresh(self: &Arc<Self>) -> Result<Changes, RefreshError> {
        let mut changes = self.look().await?;
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        changes.changed.append(&mut untold);
        Ok(changes)
    }

    /// Looks again at once, because whoever asks has just changed something. Whoever refreshes next is told what that was.
    pub async fn catch_up(self: &Arc<Self>) {
        // What cannot be read now is looked for again, and stays as it was until then.
        if let Ok(Changes { added, removed, changed, .. }) = self.look().await {
            let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
            untold.extend([added, removed, changed].into_iter().flatten());
        }
    }

    /// Whether the books say otherwise than at the last look what may be used, which no file tells.
    pub async fn is_switched(&self) -> bool {
        !Switching::of(&self.books).await.is_of(&self.hall())
    }

    /// Looks beside: thousands of skills take longer than others who are served should wait.
    async fn look(self: &Arc<Self>) -> Result<Changes, RefreshError> {
        let switching = Switching::of(&self.books).await;
        let experience = self.books.experience().await.ok();
        let premises = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || {
            premises.live.refresh_by(|before| {
                let (machine, files) = (premises.opening.look)();
                let mut hall = Hall::open_switched(switching, machine, &files, Freshness::Indexed);
                hall.allowed.clone_from(&before.allowed);
                hall.memory.clone_from(&before.memory);
                hall.experience = experience.unwrap_or_else(|| before.experience.clone());
                hall
            })
        });
        looked.await.unwrap_or_else(|error| Err(RefreshError::Unfinished { reason: error.to_string() }))
    }

    /// Everything that one call needs, by the hall that it began with.
    pub fn workshop<'a>(&'a self, hall: &'a Hall) -> Workshop<'a> {
        Workshop {
            hall,
            places: &self.opening.places,
            images: &self.opening.images,
            backends: &self.opening.backends,
            store: &self.store,
            books: &self.books,
            providers: &self.opening.providers,
            subagents: self.opening.subagents.as_deref(),
            approver: None,
            patience: Some(PATIENCE),
            clock: &*self.opening.clock,
        }
    }

    /// Computes something that takes a while, beside the thread that serves everybody, once there is room for it. It is no way to wait
    /// for something else.
    ///
    /// # Errors
    /// Where it has not come to its end.
    pub async fn beside<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Hall) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let failed = |error: &dyn std::fmt::Display| Refusal::new(Code::Internal, error.to_string());
        let _place = self.room.acquire().await.map_err(|error| failed(&error))?;
        let (premises, hall) = (Arc::clone(self), self.hall());
        let done = tokio::task::spawn_blocking(move || work(&premises, &hall)).await;
        done.map_err(|error| failed(&error))
    }

    /// Vets every skill and reads every text that is not remembered yet, so that whoever asks first does not wait for it. It takes its
    /// time, and belongs on a thread of its own.
    pub fn warm_up(&self) {
        let hall = self.hall();
        let entries: Vec<_> = hall.snapshot.skills.iter().collect();
        hall.learn();
        let mut gate = Gate::open(&hall);
        gate.admit(&hall, entries);
        gate.close();
    }

    /// How many receipts of each kind and code there are behind the one of this number.
    pub async fn tally(&self, after: u64) -> Result<Vec<Tally>, Refusal> {
        self.books.ledger.tally(after).await.map_err(|error| self.books.refusal(error))
    }

    /// Writes down the runs whose caller has gone away before their end.
    pub async fn settle(&self) -> Result<(), Refusal> {
        self.books.sweep(self.now()).await.map(drop)
    }
}
