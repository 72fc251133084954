//! Placeholder.

pub mod render;
pub mod validate;
