//! The versions of the schema: each has a text that makes it of the one before, and nothing leads back.
//!
//! How a database remembers its version is its own business.

/// What makes each version of the one before, from the first on.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_ledger.sql"),
    include_str!("../migrations/0002_registry.sql"),
    include_str!("../migrations/0003_secrets.sql"),
];

/// The version that this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The texts that lead from `version` to the present.
pub(crate) fn migrations_after(version: i64) -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().copied().skip(usize::try_from(version).unwrap_or(0))
}
