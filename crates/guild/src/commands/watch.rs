//! `guild watch`
