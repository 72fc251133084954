//! Networks with nothing in them. To make one takes the kernel a quarter of a launch, and to take it down nearly as long, so the one that a
//! container has had goes to the next.
//!
//! It goes on as it came. It belongs to the launcher, so nobody in a container has a right to change it; without a network no socket can
//! be opened but a pair; and it is free again only when nothing of the container runs any more: no two have one at the same time.
//! An ordinary user may make none beside a container's own, with which each is then born.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Mutex;

use rustix::thread::UnshareFlags;

use super::sys;

/// The most that are kept for later.
const MOST_SPARE: usize = 8;

/// Those that nobody is in, and whose they are: a fork of this program has the same ones, and must not put a container beside its parent's.
static SPARE: Mutex<Vec<(u32, OwnedFd)>> = Mutex::new(Vec::new());

/// A network that the calling thread is in, and what it starts from now on. Dropped, it is free for another container.
#[derive(Debug)]
pub(super) struct EmptyNetwork(Option<OwnedFd>);

impl EmptyNetwork {
    /// Puts this thread into one; `None` if it may not be.
    pub(super) fn enter() -> Option<EmptyNetwork> {
        let network = match take() {
            Some(spare) => {
                sys::enter_namespace(spare.as_fd()).ok()?;
                spare
            }
            None => make()?,
        };
        Some(EmptyNetwork(Some(network)))
    }
}

impl Drop for EmptyNetwork {
    fn drop(&mut self) {
        // Where somebody else is at it, as might be for ever in a fork, it is closed.
        if let (Some(network), Ok(mut spare)) = (self.0.take(), SPARE.try_lock())
            && spare.len() < MOST_SPARE
        {
            spare.push((std::process::id(), network));
        }
    }
}

fn take() -> Option<OwnedFd> {
    let mut spare = SPARE.try_lock().ok()?;
    let process = std::process::id();
    spare.retain(|(owner, _)| *owner == process);
    spare.pop().map(|(_, network)| network)
}

fn make() -> Option<OwnedFd> {
    // SAFETY: only this thread's view of the network changes.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }.ok()?;
    Some(File::open("/proc/thread-self/ns/net").ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the network that a new thread is put into, as long as the other thread is in it.
    fn number(network: &EmptyNetwork) -> u64 {
        rustix::fs::fstat(network.0.as_ref().unwrap()).unwrap().st_ino
    }

    /// Runs in threads of its own, since they stay where they are put.
    fn in_a_thread<T: Send>(act: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(act).join().unwrap())
    }

    fn is_root() -> bool {
        rustix::process::geteuid().is_root()
    }

    #[test]
    fn a_network_has_one_container_at_a_time_and_is_then_the_next_ones() {
        let enter = || in_a_thread(EmptyNetwork::enter);
        let Some(first) = enter() else { return assert!(!is_root()) };
        let second = enter().unwrap();
        let (numbers, hosts) = ((number(&first), number(&second)), inode("/proc/self/ns/net"));
        assert!(numbers.0 != numbers.1 && numbers.0 != hosts && numbers.1 != hosts, "{numbers:?} {hosts}");
        drop(first);
        assert_eq!(enter().map(|third| number(&third)), Some(numbers.0));
    }

    #[test]
    fn a_thread_is_in_the_network_that_it_was_given() {
        for _ in 0..2 {
            in_a_thread(|| {
                let Some(network) = EmptyNetwork::enter() else { return assert!(!is_root()) };
                assert_eq!(inode("/proc/thread-self/ns/net"), number(&network));
            });
        }
    }

    #[test]
    fn a_fork_of_the_program_does_not_take_its_parents_networks() {
        if in_a_thread(EmptyNetwork::enter).is_none() {
            return assert!(!is_root());
        }
        // SAFETY: the child takes nothing but a lock that is free or not asked for again, closes descriptors, and exits.
        let code = match unsafe { libc::fork() } {
            0 => sys::exit(i32::from(take().is_some())),
            child => rustix::process::Pid::from_raw(child).map(sys::wait_for_code).unwrap().unwrap(),
        };
        assert_eq!(code, 0);
        assert!(take().is_some(), "the parent still has it");
    }

    fn inode(path: &str) -> u64 {
        rustix::fs::stat(path).unwrap().st_ino
    }
}
