//! `guild roots`
