//! How much the containers of one owner may use together.

use super::record::Record;
use crate::policy::Limits;

/// The most that one owner's containers may use together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceilings {
    /// How many there may be.
    pub containers: u64,
    /// Processors of all of them.
    pub cpus: f64,
    /// Bytes of memory of all of them.
    pub memory: u64,
}

/// One container more would be too much.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OverCeiling {
    /// There are too many.
    #[error("{owner} has {running} containers already, and may have {ceiling}")]
    Containers {
        /// Whose they are.
        owner: String,
        /// How many there are.
        running: u64,
        /// How many there may be.
        ceiling: u64,
    },
    /// They would have too many processors.
    #[error("the containers of {owner} would have {asked} processors together, and may have {ceiling}")]
    Processors {
        /// Whose they are.
        owner: String,
        /// All of them together.
        asked: f64,
        /// How many they may have.
        ceiling: f64,
    },
    /// They would have too much memory.
    #[error("the containers of {owner} would have {asked} bytes of memory together, and may have {ceiling}")]
    Memory {
        /// Whose they are.
        owner: String,
        /// All of them together.
        asked: u64,
        /// How much they may have.
        ceiling: u64,
    },
}

impl Ceilings {
    /// Whether an owner with these containers may have one more.
    pub(super) fn allow(&self, owner: &str, running: &[Record], more: &Limits) -> Result<(), OverCeiling> {
        let own = || running.iter().filter(|record| record.owner == owner).map(|record| record.policy.limits);
        let owner = owner.to_owned();
        let count = own().count() as u64;
        if count >= self.containers {
            return Err(OverCeiling::Containers { owner, running: count, ceiling: self.containers });
        }
        let cpus = own().map(|limits| limits.cpus).sum::<f64>() + more.cpus;
        if cpus > self.cpus {
            return Err(OverCeiling::Processors { owner, asked: cpus, ceiling: self.cpus });
        }
        let memory = own().fold(more.memory, |sum, limits| sum.saturating_add(limits.memory));
        if memory > self.memory {
            return Err(OverCeiling::Memory { owner, asked: memory, ceiling: self.memory });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    fn running(owner: &str) -> Record {
        Record {
            version: 1,
            id: "ctr_0123456789abcdef".parse().unwrap(),
            owner: owner.to_owned(),
            shared: false,
            backend: "embedded".to_owned(),
            role: "default".to_owned(),
            policy: Policy::default(),
            launched_ms: 0,
            supervisor: 1,
        }
    }

    #[track_caller]
    fn check(ceilings: Ceilings, others: &[&str], expected: &str) {
        let records: Vec<Record> = others.iter().map(|owner| running(owner)).collect();
        let answer = ceilings.allow("ann", &records, &Limits::default());
        assert_eq!(answer.map_or_else(|error| error.to_string(), |()| "allowed".to_owned()), expected);
    }

    #[test]
    fn each_owner_has_ceilings_of_its_own() {
        let ceilings = Ceilings { containers: 2, cpus: 1.5, memory: 2 << 30 };
        check(ceilings, &["bob", "bob", "bob"], "allowed");
        check(ceilings, &["ann", "ann"], "ann has 2 containers already, and may have 2");
        check(ceilings, &["ann"], "the containers of ann would have 2 processors together, and may have 1.5");
        let tight = Ceilings { containers: 4, cpus: 8.0, memory: 600 << 20 };
        check(
            tight,
            &["ann"],
            "the containers of ann would have 1073741824 bytes of memory together, and may have 629145600",
        );
    }
}
