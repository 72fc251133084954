//! Placeholder.

pub mod create;
pub mod render;
pub mod validate;
