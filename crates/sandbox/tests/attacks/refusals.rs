//! What is refused rather than weakened.

use guild_sandbox::{Enforcement, Feature, LaunchError, Mount};

use crate::arena::{Arena, as_user_without_cgroups, bash, check, is_root};

attacks! {
    fn a_program_that_is_not_there_is_not_looked_for_on_the_host(arena) {
        let canary = arena.canary();
        let outcome = arena.try_run(&arena.policy(), &guild_sandbox::Command::new(canary));
        assert!(matches!(outcome, Err(LaunchError::Exec { .. })), "{outcome:?}");
    }

    fn a_mount_that_is_not_there_is_refused(arena) {
        let mut policy = arena.policy();
        policy.mounts.push(Mount::read_only(arena.directory_of("missing"), "/missing"));
        let outcome = arena.try_run(&policy, &bash("echo launched"));
        assert!(matches!(outcome, Err(LaunchError::Source { .. })), "{outcome:?}");
    }

    fn names_with_a_nul_byte_are_refused(arena) {
        let mut policy = arena.policy();
        policy.env.insert("A\0B".to_owned(), "value".to_owned());
        assert!(matches!(arena.try_run(&policy, &bash("true")), Err(LaunchError::InvalidPolicy { .. })));
        let mut policy = arena.policy();
        policy.env.insert("A=B".to_owned(), "value".to_owned());
        assert!(matches!(arena.try_run(&policy, &bash("true")), Err(LaunchError::InvalidPolicy { .. })));
        let outcome = arena.try_run(&arena.policy(), &bash("tr\0ue"));
        assert!(matches!(outcome, Err(LaunchError::InvalidPolicy { .. })));
    }
}

fn without_cgroups_the_limits_are_refused(arena: &Arena) {
    assert!(!is_root());
    let outcome = arena.try_run(&arena.policy(), &bash("echo launched"));
    assert!(
        matches!(outcome, Err(LaunchError::LimitUnenforceable { feature: Feature::Memory, .. })),
        "{outcome:?}"
    );
    let started = arena.wait(arena.backend().start(&arena.policy())).err();
    assert!(matches!(started, Some(LaunchError::LimitUnenforceable { .. })), "{started:?}");
    let mut policy = arena.policy();
    policy.limits.enforcement = Enforcement::BestEffort;
    let outcome = arena.run(&policy, &bash("sleep 1000 & echo launched"));
    check(&outcome, "launched");
    assert_eq!(outcome.unenforced, [Feature::Cpu, Feature::Memory, Feature::Pids]);
}

mod as_root_alone {
    #[test]
    fn without_cgroups_the_limits_are_refused() {
        super::as_user_without_cgroups(
            super::without_cgroups_the_limits_are_refused,
            concat!(module_path!(), "::without_cgroups_the_limits_are_refused"),
        );
    }
}
