//! The profile as a filter program for the kernel.
//!
//! The number of the call is searched for in a tree of ranges, not in a list: the kernel translates the program at every launch and tries
//! it on every call there is, and a list of 300 calls costs it more than half a millisecond each time. For the same reason every answer
//! stands once, at the end, and tests take no more steps than they need.

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
const JUMP_IF_ANY: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
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
    let mut writer = Writer::new();
    writer.search(&ranges(&profile(network)));
    writer.step(LOAD, NUMBER);
    let known = writer.next();
    let foreign = writer.step(RETURN, libc::SECCOMP_RET_KILL_PROCESS);
    writer.branch(JUMP_IF_EQUAL, ARCHITECTURE, known, foreign);
    writer.step(LOAD, ARCHITECTURE_AT);
    writer.finish()
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

/// Writes a program from its end to its beginning, since its jumps all lead forward: what they lead to is there already.
struct Writer {
    /// The last step first.
    backwards: Program,
    allowed: Place,
    forbidden: Place,
    absent: Place,
}

/// A step that was written, counted from the end.
#[derive(Clone, Copy)]
struct Place(usize);

/// The furthest that a branch is made to lead. Its field holds 255, but the way to its other end may need a step in between.
const REACH: usize = 254;

impl Writer {
    /// A program that only has its answers.
    fn new() -> Writer {
        let mut writer =
            Writer { backwards: Vec::new(), allowed: Place(0), forbidden: Place(1), absent: Place(2) };
        for answer in [
            libc::SECCOMP_RET_ALLOW,
            libc::SECCOMP_RET_ERRNO | libc::EPERM as u32,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        ] {
            writer.step(RETURN, answer);
        }
        writer
    }

    fn finish(mut self) -> Program {
        self.backwards.reverse();
        self.backwards
    }

    /// What was written last, which whatever is written now is followed by.
    fn next(&self) -> Place {
        Place(self.backwards.len().saturating_sub(1))
    }

    fn step(&mut self, code: u16, k: u32) -> Place {
        self.backwards.push(libc::sock_filter { code, jt: 0, jf: 0, k });
        self.next()
    }

    /// How many steps lie between what is written now and a place.
    fn over(&self, place: Place) -> usize {
        self.next().0.saturating_sub(place.0)
    }

    /// The place, or one nearby that leads there.
    fn near(&mut self, place: Place) -> Place {
        let over = self.over(place);
        if over < REACH { place } else { self.step(JUMP, over as u32) }
    }

    fn branch(&mut self, code: u16, k: u32, yes: Place, no: Place) -> Place {
        let (yes, no) = (self.near(yes), self.near(no));
        let [jt, jf] = [yes, no].map(|place| self.over(place) as u8);
        self.backwards.push(libc::sock_filter { code, jt, jf, k });
        self.next()
    }

    /// Finds the range of the number that is loaded.
    fn search(&mut self, ranges: &[(u32, Verdict)]) -> Place {
        match ranges.split_at(ranges.len() / 2) {
            ([], [(_, verdict)]) => self.judge(verdict),
            (low, high @ [(middle, _), ..]) => {
                let (high, low) = (self.search(high), self.search(low));
                self.branch(JUMP_IF_AT_LEAST, *middle, high, low)
            }
            // There is always a range that begins at 0.
            (_, []) => self.forbidden,
        }
    }

    fn judge(&mut self, verdict: &Verdict) -> Place {
        match verdict {
            Verdict::Allow => self.allowed,
            Verdict::Refuse(refusal) => self.answer(*refusal),
            Verdict::Check(ways, refusal) => {
                let refused = self.answer(*refusal);
                ways.iter().rfold(refused, |otherwise, way| {
                    let halves: Vec<Half> = way.iter().flat_map(Condition::halves).collect();
                    halves.iter().rfold(self.allowed, |holds, half| self.test(half, holds, otherwise))
                })
            }
        }
    }

    fn answer(&self, refusal: Answer) -> Place {
        match refusal {
            Answer::Forbidden => self.forbidden,
            Answer::Absent => self.absent,
        }
    }

    fn test(&mut self, half: &Half, holds: Place, otherwise: Place) -> Place {
        let &Half { at, mask, value } = half;
        match (mask, value) {
            (_, 0) => self.branch(JUMP_IF_ANY, mask, otherwise, holds),
            (mask, value) if mask == value && mask.is_power_of_two() => {
                self.branch(JUMP_IF_ANY, mask, holds, otherwise)
            }
            (u32::MAX, value) => self.branch(JUMP_IF_EQUAL, value, holds, otherwise),
            (mask, value) => {
                self.branch(JUMP_IF_EQUAL, value, holds, otherwise);
                self.step(AND, mask)
            }
        };
        self.step(LOAD, at)
    }
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
                JUMP_IF_ANY => at += usize::from(if accumulator & k != 0 { jt } else { jf }),
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
        let errno = if call.otherwise == Answer::Forbidden { libc::EPERM } else { libc::ENOSYS };
        libc::SECCOMP_RET_ERRNO | errno as u32
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
            assert!(compile(network).len() < 200, "{}", compile(network).len());
        }
    }

    #[test]
    fn a_program_that_is_longer_than_a_jump_says_the_same() {
        let verdicts = [Verdict::Allow, Verdict::Refuse(Answer::Forbidden), Verdict::Refuse(Answer::Absent)];
        let ranges: Vec<(u32, Verdict)> =
            (0..1500).map(|at| (at, verdicts[at as usize % 3].clone())).collect();
        let mut writer = Writer::new();
        writer.search(&ranges);
        writer.step(LOAD, NUMBER);
        let program = writer.finish();
        let said: Vec<u32> = (0..3).map(|number| run(&program, ARCHITECTURE, number, [0; 6])).collect();
        for number in 0..1500 {
            assert_eq!(run(&program, ARCHITECTURE, number, [0; 6]), said[number as usize % 3], "{number}");
        }
        let errno = |number: i32| libc::SECCOMP_RET_ERRNO | number as u32;
        assert_eq!(said, [libc::SECCOMP_RET_ALLOW, errno(libc::EPERM), errno(libc::ENOSYS)]);
    }
}
