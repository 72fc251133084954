//! Which system calls a contained process may make: one profile, compiled for the embedded runtime and written as JSON for engines.
//!
//! It is a list of what is allowed. What is not on it fails with `EPERM`: new namespaces, mounts, tracing, BPF, io_uring, keys, perf
//! events, kernel modules, clocks, and every call that a later kernel adds. `clone3` and `openat2` fail with `ENOSYS`, since their
//! flags lie in memory that a filter cannot see; libraries then fall back to `clone` and `openat`, whose flags it can.

mod bpf;
mod modes;
mod names;

pub(crate) use bpf::compile;

use crate::policy::Network;
use names::{ALWAYS, Calls, OLDER, WITH_NETWORK};

/// Flags of `clone` that make namespaces.
const NEW_NAMESPACES: u64 = 0x7e02_0080;

/// The flag of `clone` that makes a child of one's parent: a command's is outside of the container, and would have to reap it.
const PARENT: u64 = libc::CLONE_PARENT as u64;
const AF_UNIX: u64 = 1;
const AF_INET: u64 = 2;
const AF_INET6: u64 = 10;
const AF_NETLINK: u64 = 16;
const NETLINK_ROUTE: u64 = 0;
const SOCK_TYPE_MASK: u64 = 0xf;
const SOCK_STREAM: u64 = 1;
const SOCK_SEQPACKET: u64 = 5;

/// A system call that is allowed, always or under conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowed {
    /// Its name in the kernel.
    pub(crate) name: &'static str,
    /// Its number here.
    pub(crate) number: i64,
    /// Sets of conditions, one of which must hold entirely; none: always allowed.
    pub(crate) when: Vec<Vec<Condition>>,
}

/// What an argument must be: `argument & mask == value`, on its lower 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// Which argument, from 0.
    pub(crate) argument: u8,
    /// Which bits count.
    pub(crate) mask: u64,
    /// What they must be.
    pub(crate) value: u64,
}

/// The profile for a container with this network.
pub(crate) fn profile(network: Network) -> Vec<Allowed> {
    let mut allowed: Vec<Allowed> = [ALWAYS, OLDER].into_iter().flat_map(unconditional).collect();
    let harmless = Condition { argument: 0, mask: NEW_NAMESPACES | PARENT, value: 0 };
    allowed.push(Allowed { name: "clone", number: libc::SYS_clone, when: vec![vec![harmless]] });
    allowed.push(Allowed {
        name: "personality",
        number: libc::SYS_personality,
        when: [0, 8, 0x20000, 0x20008, 0xffff_ffff].map(|persona| vec![is(0, persona)]).to_vec(),
    });
    allowed.extend(modes::calls());
    allowed.extend(sockets(network));
    allowed
}

/// Without a network there is no socket of any family. Pairs stay, since they lead nowhere else; but not datagram pairs, whose ends
/// can be connected anew, to a socket of the host that a read-only mount shows.
fn sockets(network: Network) -> Vec<Allowed> {
    let pair = |kind| vec![is(0, AF_UNIX), Condition { argument: 1, mask: SOCK_TYPE_MASK, value: kind }];
    let pairs = vec![pair(SOCK_STREAM), pair(SOCK_SEQPACKET)];
    let mut allowed = vec![Allowed { name: "socketpair", number: libc::SYS_socketpair, when: pairs }];
    if network == Network::Host {
        let families = [AF_UNIX, AF_INET, AF_INET6].map(|family| vec![is(0, family)]);
        let routes = vec![is(0, AF_NETLINK), is(2, NETLINK_ROUTE)];
        let when = families.into_iter().chain([routes]).collect();
        allowed.push(Allowed { name: "socket", number: libc::SYS_socket, when });
        allowed.extend(unconditional(WITH_NETWORK));
    }
    allowed
}

fn unconditional(calls: Calls) -> impl Iterator<Item = Allowed> {
    calls.iter().map(|&(name, number)| Allowed {
        name: name.strip_prefix("SYS_").unwrap_or(name),
        number,
        when: Vec::new(),
    })
}

fn is(argument: u8, value: u64) -> Condition {
    Condition { argument, mask: 0xffff_ffff, value }
}
