//! `guild prompt`
