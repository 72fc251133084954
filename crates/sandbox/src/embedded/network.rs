//! Networks with nothing in them. To make one takes the kernel a quarter of a launch, and to take it down nearly as long, so the one that a
//! container has had goes to the next.
//!
//! It goes on as it came. It belongs to the launcher, so nobody in a container has a right to change it; without a network no socket can
//! be opened but a pair; and it is free again only when nothing of the container runs any more: no two have one at the same time.
//!
//! Root's thread enters one, and what it starts is in there. An ordinary user may make none but in a user namespace, and enter it there
//! alone. So each has one that the container's own is made in: who is in a container has no right in what is around it. That takes longer
//! than it saves for one container, so the first of a process is born with a network of its own.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::thread::UnshareFlags;

use super::holder::Holder;
use super::identity::Identity;
use super::sys;

/// The most that are kept for later.
const MOST_SPARE: usize = 8;

/// Those that nobody is in, and whose they are: a fork of this program has the same ones, and must not put a container beside its parent's.
static SPARE: Mutex<Vec<(u32, Made)>> = Mutex::new(Vec::new());

/// Whether this process may not use those that are apart.
static FORBIDDEN: AtomicBool = AtomicBool::new(false);

#[derive(Debug)]
struct Made {
    network: OwnedFd,
    /// The user namespace that it belongs to, where that is not the launcher's.
    owner: Option<OwnedFd>,
}

/// A network that the calling thread is in, and what it starts from now on; or one that is apart. Dropped, it is free for another container.
#[derive(Debug)]
pub(super) struct EmptyNetwork(Option<Made>);

impl EmptyNetwork {
    /// Puts this thread into one; `None` if it may not be.
    pub(super) fn enter() -> Option<EmptyNetwork> {
        let made = match take(false) {
            Some(spare) => {
                sys::enter_namespace(spare.network.as_fd()).ok()?;
                spare
            }
            None => make()?,
        };
        Some(EmptyNetwork(Some(made)))
    }

    /// One that a process has to be born into by its doors; `None` if there may be none, or it would not pay.
    pub(super) fn apart(user: Identity) -> Option<EmptyNetwork> {
        static IS_LONG_LIVED: AtomicBool = AtomicBool::new(false);
        if !IS_LONG_LIVED.swap(true, Ordering::Relaxed) || FORBIDDEN.load(Ordering::Relaxed) {
            return None;
        }
        let made = take(true).or_else(|| {
            let made = make_apart(user);
            FORBIDDEN.fetch_or(made.is_err(), Ordering::Relaxed);
            made.ok()
        })?;
        Some(EmptyNetwork(Some(made)))
    }

    /// The namespaces that a process has to enter for it, in this order, where the thread is not in it.
    pub(super) fn doors(&self) -> Option<[BorrowedFd<'_>; 2]> {
        let Made { network, owner } = self.0.as_ref()?;
        Some([owner.as_ref()?.as_fd(), network.as_fd()])
    }

    /// There is to be none that is apart from now on: its doors do not open.
    pub(super) fn forbid(mut self) {
        FORBIDDEN.store(true, Ordering::Relaxed);
        self.0 = None;
    }
}

impl Drop for EmptyNetwork {
    fn drop(&mut self) {
        // Where somebody else is at it, as might be for ever in a fork, it is closed.
        if let (Some(made), Ok(mut spare)) = (self.0.take(), SPARE.try_lock())
            && spare.len() < MOST_SPARE
        {
            spare.push((std::process::id(), made));
        }
    }
}

fn take(apart: bool) -> Option<Made> {
    let mut spare = SPARE.try_lock().ok()?;
    let process = std::process::id();
    spare.retain(|(owner, _)| *owner == process);
    let place = spare.iter().rposition(|(_, made)| made.owner.is_some() == apart)?;
    Some(spare.swap_remove(place).1)
}

fn make() -> Option<Made> {
    // SAFETY: only this thread's view of the network changes.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }.ok()?;
    Some(Made { network: File::open("/proc/thread-self/ns/net").ok()?.into(), owner: None })
}

fn make_apart(Identity { uid, gid, .. }: Identity) -> io::Result<Made> {
    let holder = Holder::new(libc::CLONE_NEWUSER | libc::CLONE_NEWNET)?;
    holder.deny_setgroups()?;
    holder.map(&format!("{uid} {uid} 1"), &format!("{gid} {gid} 1"))?;
    Ok(Made { network: holder.open("net")?, owner: Some(holder.open("user")?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the network that a new thread is put into, as long as the other thread is in it.
    fn number(network: &EmptyNetwork) -> u64 {
        rustix::fs::fstat(&network.0.as_ref().unwrap().network).unwrap().st_ino
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
    fn a_network_that_is_apart_has_one_container_at_a_time_too_and_no_first_one() {
        let apart = || EmptyNetwork::apart(Identity::find().unwrap());
        assert!(apart().is_none(), "it would not pay for one container");
        let (first, second) = (apart().unwrap(), apart().unwrap());
        assert!(first.doors().is_some() && number(&first) != number(&second));
        let before = number(&first);
        drop(first);
        assert_eq!(apart().map(|third| number(&third)), Some(before));
        second.forbid();
        assert!(apart().is_none(), "its doors do not open");
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
            0 => sys::exit(i32::from(take(false).is_some())),
            child => rustix::process::Pid::from_raw(child).map(sys::wait_for_code).unwrap().unwrap(),
        };
        assert_eq!(code, 0);
        assert!(take(false).is_some(), "the parent still has it");
    }

    fn inode(path: &str) -> u64 {
        rustix::fs::stat(path).unwrap().st_ino
    }
}
