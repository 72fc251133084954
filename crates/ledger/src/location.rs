//! Where a ledger lies: a file of SQLite, or a database of PostgreSQL.
//!
//! A URL may hold a password, so nothing here shows one: neither `Display` nor `Debug`.

use std::fmt;
use std::path::PathBuf;

/// The place of a ledger's database.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file, made with its directory if it is absent.
    Sqlite(PathBuf),
    /// A URL such as `postgres://user@host/database`; what it leaves out is taken from the `PG…` variables.
    Postgres(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(f),
            Self::Postgres(url) => f.write_str(&without_secrets(url)),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

/// The URL without its password and its parameters, where a password may stand too.
fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres".to_owned() };
    match rest.rsplit_once('@') {
        Some((who, place)) => {
            let user = who.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{place}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_never_shown() {
        for (url, shown) in [
            ("postgres://guild:hunter2@db.example:5433/guild", "postgres://guild@db.example:5433/guild"),
            ("postgres://guild:p@ss:w@db/guild", "postgres://guild@db/guild"),
            ("postgres://db/guild?password=hunter2", "postgres://db/guild"),
            ("postgres:hunter2", "postgres"),
        ] {
            let location = Location::Postgres(url.to_owned());
            assert_eq!(location.to_string(), shown);
            assert_eq!(format!("{location:?}"), format!("Location({shown})"));
        }
    }
}
