//! What a container has used, and whether memory ran out in it.
//!
//! The kernel's own counters are read where the engine runs on this machine: they know of every process that was killed for want of
//! memory, of which engines tell only when a container has ended, if at all. Elsewhere the engine's figures have to do.

use std::time::Duration;

use bollard::query_parameters::StatsOptionsBuilder;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::living::Living;

/// How long an engine may take to tell its figures.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was counted; `None` is what nobody could tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// Processor time.
    pub(super) cpu: Option<Duration>,
    /// The most memory held at once.
    pub(super) peak_memory: Option<u64>,
    /// How many processes were killed for want of memory.
    pub(super) oom_kills: u64,
    /// Whether any was.
    pub(super) oom: Option<bool>,
}

/// What a container that still runs has used.
pub(super) async fn counted(living: &Living) -> Counted {
    if living.connection.facts.local
        && let Some(state) = living.state().await.filter(|state| state.running)
        && let Some(counted) = from_kernel(state.pid, &living.id)
    {
        return counted;
    }
    timeout(PATIENCE, from_engine(living)).await.unwrap_or_default()
}

#[cfg(target_os = "linux")]
fn from_kernel(pid: u32, container: &str) -> Option<Counted> {
    let counted = crate::embedded::counted_of(pid, container)?;
    Some(Counted {
        cpu: counted.cpu,
        peak_memory: counted.peak_memory,
        oom_kills: counted.oom_kills,
        oom: Some(counted.oom_kills > 0),
    })
}

/// Elsewhere engines run containers on another kernel.
#[cfg(not(target_os = "linux"))]
fn from_kernel(_pid: u32, _container: &str) -> Option<Counted> {
    None
}

async fn from_engine(living: &Living) -> Counted {
    let options = StatsOptionsBuilder::default().stream(false).one_shot(true).build();
    let mut answers = Box::pin(living.connection.client.stats(&living.id, Some(options)));
    let Some(Ok(answer)) = answers.next().await else { return Counted::default() };
    // Engines that cannot tell say 0.
    let cpu = answer.cpu_stats.and_then(|cpu| cpu.cpu_usage?.total_usage).filter(|used| *used > 0);
    Counted {
        cpu: cpu.map(Duration::from_nanos),
        peak_memory: answer.memory_stats.and_then(|memory| memory.max_usage),
        ..Counted::default()
    }
}
