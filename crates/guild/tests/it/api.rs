//! The API as people and programs meet it: over real HTTP, with tokens of every role, and each answer as the document promises.

mod authoring;
pub(crate) mod client;
mod decisions;
mod examples;
mod house;
mod misuse;
mod reading;
mod runs;
mod sources;

use client::{Client, Server};
use expect_test::expect_file;

#[test]
fn the_document_is_current() {
    let text = serde_json::to_string_pretty(&guild_web::document()).unwrap() + "\n";
    expect_file!["../../../../docs/openapi.json"].assert_eq(&text);
}
