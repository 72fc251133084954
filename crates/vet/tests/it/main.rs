//! The vet from outside: a skill in, findings out.

mod evasion;
mod page;
mod properties;
mod rules;
mod world;
