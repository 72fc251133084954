//! `guild render`
