//! Where nothing is delegated and there is no systemd, limits are refused, unless a person does without them.

use expect_test::{Expect, expect};
use guild_sandbox::{Backend as _, Enforcement, Feature, Limits, RefusalKind};

use crate::own_cgroup;
use crate::world::{block_on, embedded, limits, run, said};

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&text.replace(&own_cgroup(), "[OWN]"));
}

#[test]
fn limits_are_refused_with_their_cause() {
    let refusal = run("echo it ran", limits()).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::LimitUnenforceable);
    check(
        &refusal.explanation(),
        expect![
            "embedded cannot enforce the limit on memory: the cgroup [OWN] is not delegated to this user, and there is no systemd to ask for one; have an administrator delegate a cgroup to you, or use docker or podman"
        ],
    );
}

#[test]
fn a_person_can_do_without_limits() {
    let outcome = run("echo it ran", Limits { enforcement: Enforcement::BestEffort, ..limits() }).unwrap();
    assert_eq!(said(&outcome), "it ran\n");
    assert_eq!(outcome.unenforced, [Feature::Cpu, Feature::Memory, Feature::Pids]);
}

#[test]
fn the_probe_says_what_is_lacking() {
    let probe = block_on(embedded().probe());
    assert_eq!(probe.unusable, None);
    let lacks: Vec<&str> = probe.lacks.iter().map(|(feature, _)| feature.name()).collect();
    assert_eq!(lacks, ["cpus", "memory", "pids"]);
    check(
        &probe.lacking(Feature::Memory).unwrap().cause,
        expect!["the cgroup [OWN] is not delegated to this user, and there is no systemd to ask for one"],
    );
}
