//! `guild show`
