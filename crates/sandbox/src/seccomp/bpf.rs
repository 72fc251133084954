//! The profile as filter programs for the kernel.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{Allowed, Condition, profile};
use crate::policy::Network;

#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const ARCH: TargetArch = TargetArch::riscv64;

/// The filters for a container with this network, in the order in which they are installed. Of two that refuse, the kernel gives the
/// answer of the later one, so the one for calls that seem not to exist comes last.
pub(crate) fn compile(network: Network) -> Result<Vec<BpfProgram>, BackendError> {
    Ok(vec![allow_only(&profile(network))?, pretend_absence()?])
}

fn allow_only(allowed: &[Allowed]) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in allowed {
        let when: Result<_, _> = call.when.iter().map(|conditions| rule(conditions)).collect();
        rules.insert(call.number, when?);
    }
    let denied = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, denied, SeccompAction::Allow, ARCH)?.try_into()
}

/// Programs have another way where a call does not exist, and none where it is forbidden. Changing the limit on core dumps is among
/// them, because programs that hold secrets set it to 0 and give up where that is forbidden.
fn pretend_absence() -> Result<BpfProgram, BackendError> {
    let core_limit = |argument| {
        SeccompCondition::new(
            argument,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Eq,
            u64::from(libc::RLIMIT_CORE),
        )
    };
    let is_set = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    let rules = BTreeMap::from([
        (libc::SYS_clone3, Vec::new()),
        (libc::SYS_openat2, Vec::new()),
        (libc::SYS_setrlimit, vec![SeccompRule::new(vec![core_limit(0)?])?]),
        (libc::SYS_prlimit64, vec![SeccompRule::new(vec![core_limit(1)?, is_set])?]),
    ]);
    let absent = SeccompAction::Errno(libc::ENOSYS as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, absent, ARCH)?.try_into()
}

fn rule(conditions: &[Condition]) -> Result<SeccompRule, BackendError> {
    let conditions: Result<_, _> = conditions
        .iter()
        .map(|condition| {
            let operator = SeccompCmpOp::MaskedEq(condition.mask);
            SeccompCondition::new(condition.argument, SeccompCmpArgLen::Dword, operator, condition.value)
        })
        .collect();
    SeccompRule::new(conditions?)
}
