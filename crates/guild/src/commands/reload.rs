//! `guild reload`
