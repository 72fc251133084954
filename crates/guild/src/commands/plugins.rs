//! `guild plugins`
