//! `guild check`
