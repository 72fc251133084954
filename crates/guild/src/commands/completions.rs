//! `guild completions`
