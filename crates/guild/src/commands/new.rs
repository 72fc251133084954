//! `guild new`
