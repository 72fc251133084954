//! One line of a script: a verb, names, and `key=value` pairs.

use guild_ledger::{Ask, Principal};
use guild_manifest::Digest;

use crate::site::{agent, person};

pub struct Words<'l> {
    pub verb: &'l str,
    pub names: Vec<&'l str>,
    values: Vec<(&'l str, &'l str)>,
}

impl<'l> Words<'l> {
    pub fn of(line: &'l str) -> Self {
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap();
        let (pairs, names): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('='));
        Self { verb, names, values: pairs.iter().map(|pair| pair.split_once('=').unwrap()).collect() }
    }

    pub fn name(&self, at: usize) -> &'l str {
        self.names[at]
    }

    pub fn says(&self, word: &str) -> bool {
        self.names.contains(&word)
    }

    pub fn value(&self, key: &str) -> Option<&'l str> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    pub fn digest(&self, key: &str, usual: &str) -> Digest {
        Digest::of(self.value(key).unwrap_or(usual).as_bytes())
    }

    pub fn minutes(&self, key: &str) -> Option<u64> {
        self.value(key).map(|value| value.parse().unwrap())
    }

    /// A person, unless the line says `by=agent`.
    pub fn principal(&self) -> Principal {
        if self.value("by") == Some("agent") { agent("a") } else { person() }
    }

    pub fn run_that_is_wanted(&self) -> Ask {
        Ask {
            agent: self.value("agent").unwrap_or("a").to_owned(),
            skill: self.value("skill").unwrap_or("s").to_owned(),
            security_hash: self.digest("hash", "1"),
            workspace: self.value("in").unwrap_or("/w").to_owned(),
            plan: self.digest("plan", "p"),
        }
    }
}
