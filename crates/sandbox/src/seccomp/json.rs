//! The profile as the JSON that Docker and Podman read.
//!
//! Rules for the same call are alternatives. Within a rule all conditions must hold, but each argument may stand there only once: of
//! two conditions on one argument, runtimes make two rules, either of which would be enough.

use serde_json::{Value, json};

use super::{ABSENT, Allowed, Answer, Condition, kernel_name, profile};
use crate::policy::Network;

/// The number of `ENOSYS`.
const DOES_NOT_EXIST: u32 = 38;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: &str = "SCMP_ARCH_X86_64";
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: &str = "SCMP_ARCH_AARCH64";
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: &str = "SCMP_ARCH_RISCV64";

/// The profile for a container with this network.
pub(crate) fn docker_profile(network: Network) -> Value {
    let allowed = profile(network);
    let (always, sometimes): (Vec<&Allowed>, Vec<&Allowed>) =
        allowed.iter().partition(|call| call.when.is_empty());
    let always: Vec<&str> = always.iter().map(|call| call.name).collect();
    let absent: Vec<&str> = ABSENT.iter().map(|(name, _)| kernel_name(name)).collect();
    let mut rules = vec![json!({ "names": always, "action": "SCMP_ACT_ALLOW" })];
    rules.extend(sometimes.iter().flat_map(|call| conditional(call)));
    rules.extend(
        sometimes.iter().filter(|call| call.otherwise == Answer::Absent).flat_map(|call| refused(call)),
    );
    rules.push(json!({ "names": absent, "action": "SCMP_ACT_ERRNO", "errnoRet": DOES_NOT_EXIST }));
    json!({ "defaultAction": "SCMP_ACT_ERRNO", "architectures": [ARCHITECTURE], "syscalls": rules })
}

/// One rule for each set of conditions.
fn conditional(call: &Allowed) -> Vec<Value> {
    let rule = |conditions: &Vec<Condition>| {
        let comparisons: Vec<Value> = merged(conditions.iter().copied()).iter().map(equal).collect();
        json!({ "names": [call.name], "action": "SCMP_ACT_ALLOW", "args": comparisons })
    };
    call.when.iter().map(rule).collect()
}

/// The rules for a call that seems not to exist where none of its conditions holds. Each set of them has one, on a single bit or on a
/// whole argument, so that its opposite can be said too; or there is but one, that some bits are not set, any of which is the opposite.
fn refused(call: &Allowed) -> Vec<Value> {
    if let [conditions] = call.when.as_slice()
        && let [Condition { argument, mask, value: 0 }] = conditions.as_slice()
    {
        let bits = (0..64).map(|bit| 1_u64 << bit).filter(|bit| mask & bit != 0);
        return bits
            .map(|bit| absent(call, vec![equal(&Condition { argument: *argument, mask: bit, value: bit })]))
            .collect();
    }
    let (bits, whole): (Vec<Condition>, Vec<Condition>) =
        call.when.iter().flatten().partition(|condition| condition.mask.is_power_of_two());
    let opposite = |bit: Condition| Condition { value: bit.mask ^ bit.value, ..bit };
    let mut comparisons: Vec<Value> = merged(bits.into_iter().map(opposite)).iter().map(equal).collect();
    comparisons.extend(whole.iter().map(
        |condition| json!({ "index": condition.argument, "op": "SCMP_CMP_NE", "value": condition.value }),
    ));
    vec![absent(call, comparisons)]
}

fn absent(call: &Allowed, comparisons: Vec<Value>) -> Value {
    json!({
        "names": [call.name],
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": DOES_NOT_EXIST,
        "args": comparisons,
    })
}

/// One condition for each argument.
fn merged(conditions: impl Iterator<Item = Condition>) -> Vec<Condition> {
    let mut merged: Vec<Condition> = Vec::new();
    for condition in conditions {
        match merged.iter_mut().find(|other| other.argument == condition.argument) {
            Some(other) => {
                other.mask |= condition.mask;
                other.value |= condition.value;
            }
            None => merged.push(condition),
        }
    }
    merged
}

/// In a masked comparison `value` is the mask and `valueTwo` what must remain.
fn equal(condition: &Condition) -> Value {
    json!({
        "index": condition.argument,
        "op": "SCMP_CMP_MASKED_EQ",
        "value": condition.mask,
        "valueTwo": condition.value,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(network: Network, expected: Expect) {
        let profile = docker_profile(network);
        let mut shown = format!("otherwise {}\n", profile["defaultAction"].as_str().unwrap());
        for rule in profile["syscalls"].as_array().unwrap().iter().skip(1) {
            let names: Vec<&str> =
                rule["names"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            shown.push_str(&names.join(" "));
            for argument in rule["args"].as_array().into_iter().flatten() {
                let number = |name: &str| argument[name].as_u64().unwrap();
                shown.push_str(&match argument["op"].as_str().unwrap() {
                    "SCMP_CMP_MASKED_EQ" => {
                        format!(
                            " [{}] & {:#x} == {:#x}",
                            number("index"),
                            number("value"),
                            number("valueTwo")
                        )
                    }
                    _ => format!(" [{}] != {:#x}", number("index"), number("value")),
                });
            }
            let answer = rule["errnoRet"].as_u64().map_or("allow".to_owned(), |errno| errno.to_string());
            shown.push_str(&format!(": {answer}\n"));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn without_a_network_there_is_no_socket_of_any_family() {
        check(
            Network::None,
            expect![[r#"
            otherwise SCMP_ACT_ERRNO
            clone [0] & 0x7e028080 == 0x0: allow
            personality [0] & 0xffffffff == 0x0: allow
            personality [0] & 0xffffffff == 0x8: allow
            personality [0] & 0xffffffff == 0x20000: allow
            personality [0] & 0xffffffff == 0x20008: allow
            personality [0] & 0xffffffff == 0xffffffff: allow
            mknodat [2] & 0xc00 == 0x0: allow
            fchmod [1] & 0xc00 == 0x0: allow
            fchmodat [2] & 0xc00 == 0x0: allow
            fchmodat2 [2] & 0xc00 == 0x0: allow
            openat [2] & 0x400040 == 0x0: allow
            openat [3] & 0xc00 == 0x0: allow
            mknod [1] & 0xc00 == 0x0: allow
            chmod [1] & 0xc00 == 0x0: allow
            creat [1] & 0xc00 == 0x0: allow
            open [1] & 0x400040 == 0x0: allow
            open [2] & 0xc00 == 0x0: allow
            inotify_add_watch [2] & 0x31 == 0x0: allow
            mmap [3] & 0x40000 == 0x0: allow
            memfd_create [1] & 0x4 == 0x0: allow
            shmget [2] & 0x800 == 0x0: allow
            fcntl [1] & 0x400 == 0x0: allow
            fcntl [1] & 0x1 == 0x1: allow
            fcntl [1] & 0x2 == 0x2: allow
            fcntl [1] & 0x4 == 0x4: allow
            fcntl [1] & 0x8 == 0x8: allow
            setrlimit [0] & 0x1 == 0x1: allow
            setrlimit [0] & 0x2 == 0x2: allow
            setrlimit [0] & 0x4 == 0x0: allow
            setrlimit [0] & 0x8 == 0x8: allow
            prlimit64 [1] & 0x1 == 0x1: allow
            prlimit64 [1] & 0x2 == 0x2: allow
            prlimit64 [1] & 0x4 == 0x0: allow
            prlimit64 [1] & 0x8 == 0x8: allow
            prlimit64 [2] & 0xffffffffffffffff == 0x0: allow
            socketpair [0] & 0xffffffff == 0x1 [1] & 0xf == 0x1: allow
            socketpair [0] & 0xffffffff == 0x1 [1] & 0xf == 0x5: allow
            inotify_add_watch [2] & 0x1 == 0x1: 38
            inotify_add_watch [2] & 0x10 == 0x10: 38
            inotify_add_watch [2] & 0x20 == 0x20: 38
            setrlimit [0] & 0xf == 0x4: 38
            prlimit64 [1] & 0xf == 0x4 [2] != 0x0: 38
            clone3 openat2: 38
        "#]],
        );
    }

    #[test]
    fn with_a_network_there_are_sockets_of_four_families() {
        let rules = docker_profile(Network::Host)["syscalls"].clone();
        let sockets = rules.as_array().unwrap().iter().filter(|rule| rule["names"][0] == "socket");
        assert_eq!(sockets.count(), 4);
    }

    #[test]
    fn no_rule_names_an_argument_twice() {
        for network in [Network::None, Network::Host] {
            for rule in docker_profile(network)["syscalls"].as_array().unwrap() {
                let arguments = rule["args"].as_array().into_iter().flatten();
                let mut indices: Vec<u64> =
                    arguments.map(|argument| argument["index"].as_u64().unwrap()).collect();
                let count = indices.len();
                indices.sort_unstable();
                indices.dedup();
                assert_eq!(indices.len(), count, "{rule}");
            }
        }
    }

    #[test]
    fn calls_without_conditions_are_one_rule() {
        let names = docker_profile(Network::None)["syscalls"][0]["names"].to_string();
        for (name, listed) in [("read", true), ("mount", false), ("clone", false), ("socket", false)] {
            assert_eq!(names.contains(&format!("\"{name}\"")), listed, "{name}");
        }
    }

    #[test]
    fn what_can_be_refused_as_absent_has_an_opposite() {
        for call in profile(Network::Host).iter().filter(|call| call.otherwise == Answer::Absent) {
            for conditions in &call.when {
                if call.when.len() == 1 && matches!(conditions.as_slice(), [Condition { value: 0, .. }]) {
                    continue;
                }
                let [condition] = conditions.as_slice() else { panic!("{}", call.name) };
                let whole = condition.mask == u64::MAX;
                assert!(condition.mask.is_power_of_two() || whole, "{}", call.name);
            }
        }
    }
}
