//! Placeholder.

pub mod conventions;
