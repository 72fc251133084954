//! Placeholder.

pub mod render;
