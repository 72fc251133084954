//! Which system calls a contained process may make: one profile, compiled for the embedded runtime and written as JSON for engines.
//!
//! It is a list of what is allowed. What is not on it fails with `EPERM`: new namespaces, mounts, tracing, BPF, io_uring, keys, perf
//! events, kernel modules, clocks, and every call that a later kernel adds. `clone3` and `openat2` fail with `ENOSYS`, since their
//! flags lie in memory that a filter cannot see; libraries then fall back to `clone` and `openat`, whose flags it can.

#[cfg(target_os = "linux")]
mod bpf;
mod holds;
mod json;
mod modes;
mod names;

#[cfg(target_os = "linux")]
pub(crate) use bpf::{Program, program};
pub(crate) use json::docker_profile;

use crate::policy::Network;
use names::{ALWAYS, Calls, OLDER, WITH_NETWORK, call};

/// Flags of `clone` that make namespaces.
const NEW_NAMESPACES: u64 = 0x7e02_0080;

/// The flag of `clone` that makes a child of one's parent: a command's is outside of the container, and would have to reap it.
const PARENT: u64 = 0x8000;

/// The limit on core dumps.
const CORE: u64 = 4;

const AF_UNIX: u64 = 1;
const AF_INET: u64 = 2;
const AF_INET6: u64 = 10;
const AF_NETLINK: u64 = 16;
const NETLINK_ROUTE: u64 = 0;
const SOCK_TYPE_MASK: u64 = 0xf;
const SOCK_STREAM: u64 = 1;
const SOCK_SEQPACKET: u64 = 5;

/// Calls that seem not to exist, because what they do is described in memory that a filter cannot see.
pub(crate) const ABSENT: Calls = &[call!(SYS_clone3), call!(SYS_openat2)];

/// A system call that is allowed, always or under conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowed {
    /// Its name in the kernel.
    pub(crate) name: &'static str,
    /// Its number here.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "engines are told names alone"))]
    pub(crate) number: i64,
    /// Sets of conditions, one of which must hold entirely; none: always allowed.
    pub(crate) when: Vec<Vec<Condition>>,
    /// What the program is told where none holds.
    pub(crate) otherwise: Answer,
}

/// What a program is told of a call that it may not make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// That it is forbidden: `EPERM`.
    Forbidden,
    /// That it does not exist: `ENOSYS`. Programs have another way where a call does not exist, and none where it is forbidden.
    Absent,
}

/// What an argument must be: `argument & mask == value`.
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
    allowed.push(Allowed::when(call!(SYS_clone), vec![vec![harmless]]));
    let personas = [0, 8, 0x20000, 0x20008, 0xffff_ffff].map(|persona| vec![is(0, persona)]);
    allowed.push(Allowed::when(call!(SYS_personality), personas.to_vec()));
    allowed.extend(modes::calls());
    allowed.extend(holds::calls());
    allowed.extend(core_limits());
    allowed.extend(sockets(network));
    allowed
}

/// Without a network there is no socket of any family. Pairs stay, since they lead nowhere else; but not datagram pairs, whose ends
/// can be connected anew, to a socket of the host that a read-only mount shows.
fn sockets(network: Network) -> Vec<Allowed> {
    let pair = |kind| vec![is(0, AF_UNIX), Condition { argument: 1, mask: SOCK_TYPE_MASK, value: kind }];
    let pairs = vec![pair(SOCK_STREAM), pair(SOCK_SEQPACKET)];
    let mut allowed = vec![Allowed::when(call!(SYS_socketpair), pairs)];
    if network == Network::Host {
        let families = [AF_UNIX, AF_INET, AF_INET6].map(|family| vec![is(0, family)]);
        let routes = vec![is(0, AF_NETLINK), is(2, NETLINK_ROUTE)];
        let when = families.into_iter().chain([routes]).collect();
        allowed.push(Allowed::when(call!(SYS_socket), when));
        allowed.extend(unconditional(WITH_NETWORK));
    }
    allowed
}

fn unconditional(calls: Calls) -> impl Iterator<Item = Allowed> {
    calls.iter().map(|&call| Allowed::when(call, Vec::new()))
}

/// Limits may be lowered, but that on core dumps not raised, nor lowered: programs that hold secrets set it to 0 and give up where that is
/// forbidden, so the call seems not to exist.
fn core_limits() -> [Allowed; 2] {
    // All other resources differ from it in a bit: its own is not set, or another one is.
    let others = |argument| {
        let bits = (0..4).map(|bit| 1_u64 << bit);
        bits.map(move |bit| vec![Condition { argument, mask: bit, value: bit & !CORE }]).collect::<Vec<_>>()
    };
    let only_asks = vec![Condition { argument: 2, mask: u64::MAX, value: 0 }];
    let ask = others(1).into_iter().chain([only_asks]).collect();
    [
        Allowed { otherwise: Answer::Absent, ..Allowed::when(call!(SYS_setrlimit), others(0)) },
        Allowed { otherwise: Answer::Absent, ..Allowed::when(call!(SYS_prlimit64), ask) },
    ]
}

impl Allowed {
    fn when((name, number): (&'static str, i64), when: Vec<Vec<Condition>>) -> Allowed {
        Allowed { name: kernel_name(name), number, when, otherwise: Answer::Forbidden }
    }
}

/// The name without the prefix that the table has.
fn kernel_name(name: &'static str) -> &'static str {
    name.strip_prefix("SYS_").unwrap_or(name)
}

fn is(argument: u8, value: u64) -> Condition {
    Condition { argument, mask: 0xffff_ffff, value }
}
