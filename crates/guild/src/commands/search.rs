//! `guild search`
