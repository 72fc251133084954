//! The ledger from outside, on both databases: what it promises, what it refuses, and what it survives.
//!
//! Most tests are scripts with the answers beside them; see `script`. PostgreSQL is real, and so are the processes that are killed.
//! `UPDATE_EXPECT=1 cargo test -p guild-ledger on_sqlite` rewrites the answers, once each; then run all.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, a script that says nonsense is no test, and writers talk to their parent"
)]

mod crash;
mod disk;
mod export;
mod feedback;
mod grants;
mod opening;
mod receipts;
mod registry;
mod requests;
mod runs;
mod script;
mod secrets;
mod site;
mod tampering;
mod tokens;
mod trust;
mod writer;

/// Makes each test one on SQLite, and all of them together one on PostgreSQL, which takes a while to start.
#[macro_export]
macro_rules! on_both_databases {
    ($($test:ident)*) => {
        mod on_sqlite {
            $(
                #[test]
                fn $test() {
                    $crate::site::run(super::$test($crate::site::Site::sqlite()));
                }
            )*
        }

        #[test]
        fn all_of_this_holds_on_postgres() {
            let server = guild_testkit::Postgres::start();
            $(
                println!("{}", stringify!($test));
                $crate::site::run($test($crate::site::Site::postgres(&server, stringify!($test))));
            )*
        }
    };
}
