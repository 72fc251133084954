//! The profile as a filter program for the kernel.
//!
//! The number of the call is searched for in a tree of ranges, not in a list: the kernel translates the program at every launch and tries
//! it on every call there is, and a list of 300 calls costs it more than half a millisecond each time.

use std::sync::OnceLock;

use super::{ABSENT, Allowed, Answer, Condition, profile};
use crate::policy::Network;

/// A program, ready to be installed.
pub(crate) type Program = Vec<libc::sock_filter>;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: u32 = 0xc000_00f3;

// Where the kernel shows a filter the number, the architecture and the arguments.
const NUMBER: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
const ARGUMENTS: u32 = 16;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
const JUMP: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;
const JUMP_IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const JUMP_IF_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// What becomes of a range of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Allow,
    Refuse(Answer),
    Check(Vec<Vec<Condition>>, Answer),
}

/// The filter for a container with this network, which is the same for all of them and compiled once.
pub(crate) fn program(network: Network) -> &'static Program {
    static WITHOUT: OnceLock<Program> = OnceLock::new();
    static WITH_HOSTS: OnceLock<Program> = OnceLock::new();
    let compiled = match network {
        Network::None => &WITHOUT,
        Network::Host => &WITH_HOSTS,
    };
    compiled.get_or_init(|| compile(network))
}

/// A call of another architecture, whose numbers mean something else, ends the process.
fn compile(network: Network) -> Program {
    let mut program = vec![
        step(LOAD, ARCHITECTURE_AT),
        branch(JUMP_IF_EQUAL, ARCHITECTURE, 1, 0),
        step(RETURN, libc::SECCOMP_RET_KILL_PROCESS),
        step(LOAD, NUMBER),
    ];
    program.extend(search(&ranges(&profile(network))));
    program
}

/// The verdicts by the first number of each range, without gaps. Numbers beyond all known ones are those of later kernels, and of the
/// 32-bit calls of this one: to a program they do not exist.
fn ranges(allowed: &[Allowed]) -> Vec<(u32, Verdict)> {
    let absent = ABSENT.iter().map(|&(_, number)| (number, Verdict::Refuse(Answer::Absent)));
    let mut calls: Vec<(u32, Verdict)> = allowed
        .iter()
        .map(|call| (call.number, Verdict::from(call)))
        .chain(absent)
        .filter_map(|(number, verdict)| Some((u32::try_from(number).ok()?, verdict)))
        .collect();
    calls.sort_by_key(|(number, _)| *number);
    let mut ranges: Vec<(u32, Verdict)> = Vec::new();
    let mut push = |first: u32, verdict: Verdict| {
        if ranges.last().is_none_or(|(_, last)| *last != verdict) {
            ranges.push((first, verdict));
        }
    };
    let mut next = 0;
    for (number, verdict) in calls {
        if number > next {
            push(next, Verdict::Refuse(Answer::Forbidden));
        }
        push(number, verdict);
        next = number + 1;
    }
    push(next, Verdict::Refuse(Answer::Absent));
    ranges
}

/// Finds the range of the number that is loaded.
fn search(ranges: &[(u32, Verdict)]) -> Program {
    let (low, high) = ranges.split_at(ranges.len() / 2);
    match (low, high) {
        ([], [(_, verdict)]) => judge(verdict),
        (_, [(middle, _), ..]) => {
            let (low, high) = (search(low), search(high));
            let mut program = match u8::try_from(low.len()) {
                Ok(over) => vec![branch(JUMP_IF_AT_LEAST, *middle, over, 0)],
                Err(_) => {
                    vec![branch(JUMP_IF_AT_LEAST, *middle, 0, 1), step(JUMP, low.len() as u32)]
                }
            };
            program.extend(low);
            program.extend(high);
            program
        }
        // There is always a range that begins at 0.
        (_, []) => answer(Answer::Forbidden),
    }
}

fn judge(verdict: &Verdict) -> Program {
    match verdict {
        Verdict::Allow => vec![step(RETURN, libc::SECCOMP_RET_ALLOW)],
        Verdict::Refuse(refusal) => answer(*refusal),
        Verdict::Check(ways, refusal) => {
            let checks = ways.iter().flat_map(|way| check(way));
            checks.chain(answer(*refusal)).collect()
        }
    }
}

/// Allows the call if all conditions hold, and goes on behind itself if not.
fn check(conditions: &[Condition]) -> Program {
    let mut program = vec![step(RETURN, libc::SECCOMP_RET_ALLOW)];
    for test in conditions.iter().flat_map(Condition::halves).rev() {
        let over = u8::try_from(program.len()).unwrap_or(u8::MAX);
        let tests = [step(LOAD, test.at), step(AND, test.mask), branch(JUMP_IF_EQUAL, test.value, 0, over)];
        program.splice(0..0, tests);
    }
    program
}

fn answer(refusal: Answer) -> Program {
    let errno = match refusal {
        Answer::Forbidden => libc::EPERM,
        Answer::Absent => libc::ENOSYS,
    };
    vec![step(RETURN, libc::SECCOMP_RET_ERRNO | errno as u32)]
}

/// A test on 32 bits, which is what the kernel's filters can load.
struct Half {
    at: u32,
    mask: u32,
    value: u32,
}

impl Condition {
    fn halves(&self) -> Vec<Half> {
        let at = ARGUMENTS + 8 * u32::from(self.argument);
        let low = Half { at, mask: self.mask as u32, value: self.value as u32 };
        let high = Half { at: at + 4, mask: (self.mask >> 32) as u32, value: (self.value >> 32) as u32 };
        [low, high].into_iter().filter(|half| half.mask != 0).collect()
    }
}

impl From<&Allowed> for Verdict {
    fn from(call: &Allowed) -> Verdict {
        if call.when.is_empty() { Verdict::Allow } else { Verdict::Check(call.when.clone(), call.otherwise) }
    }
}

fn step(code: u16, k: u32) -> libc::sock_filter {
    libc::sock_filter { code, jt: 0, jf: 0, k }
}

fn branch(code: u16, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program answers to a call: the kernel's interpreter, as far as these programs go.
    fn run(program: &Program, architecture: u32, number: u32, arguments: [u64; 6]) -> u32 {
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let libc::sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            match code {
                LOAD => {
                    accumulator = match k {
                        NUMBER => number,
                        ARCHITECTURE_AT => architecture,
                        _ => {
                            let argument = arguments[(k - ARGUMENTS) as usize / 8];
                            (if (k - ARGUMENTS).is_multiple_of(8) { argument } else { argument >> 32 }) as u32
                        }
                    }
                }
                AND => accumulator &= k,
                JUMP => at += k as usize,
                JUMP_IF_EQUAL => at += usize::from(if accumulator == k { jt } else { jf }),
                JUMP_IF_AT_LEAST => at += usize::from(if accumulator >= k { jt } else { jf }),
                RETURN => return k,
                _ => panic!("unknown instruction {code:#x}"),
            }
        }
    }

    /// What the profile itself says.
    fn expected(profile: &[Allowed], number: u32, arguments: [u64; 6]) -> u32 {
        let last = profile
            .iter()
            .map(|call| call.number)
            .max()
            .unwrap()
            .max(ABSENT.iter().map(|call| call.1).max().unwrap());
        if ABSENT.iter().any(|call| call.1 == i64::from(number)) || i64::from(number) > last {
            return libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
        }
        let Some(call) = profile.iter().find(|call| call.number == i64::from(number)) else {
            return libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
        };
        let holds = |condition: &Condition| {
            arguments[usize::from(condition.argument)] & condition.mask == condition.value
        };
        if call.when.is_empty() || call.when.iter().any(|way| way.iter().all(holds)) {
            return libc::SECCOMP_RET_ALLOW;
        }
        answer(call.otherwise)[0].k
    }

    #[test]
    fn the_program_says_what_the_profile_says_of_every_call() {
        let interesting = [
            0,
            1,
            2,
            4,
            5,
            8,
            10,
            16,
            0o4755,
            0x20000,
            0x1000_0000,
            0x7e02_0080,
            0xffff_ffff,
            1 << 32,
            u64::MAX,
        ];
        for network in [Network::None, Network::Host] {
            let (program, profile) = (compile(network), profile(network));
            for number in (0..700).chain([0x4000_0000, 0x4000_0201, u32::MAX]) {
                for first in interesting {
                    for second in interesting {
                        let arguments = [first, second, first, second, first, second];
                        let said = run(&program, ARCHITECTURE, number, arguments);
                        assert_eq!(said, expected(&profile, number, arguments), "{number} {arguments:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_call_of_another_architecture_ends_the_process() {
        let i386 = 0x4000_0003;
        assert_eq!(run(&compile(Network::Host), i386, 1, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
    }

    #[test]
    fn the_kernel_takes_programs_of_this_length() {
        for network in [Network::None, Network::Host] {
            assert!(compile(network).len() < 600, "{}", compile(network).len());
        }
    }
}
