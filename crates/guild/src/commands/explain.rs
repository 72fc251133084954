//! `guild explain`
