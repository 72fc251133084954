//! The examples of `docs/http-api.md`, each of which gets the status that stands behind it.

use super::Server;
use crate::serve::SKILLS;
use serde_json::Value as Json;

const PAGE: &str = include_str!("../../../../../docs/http-api.md");

/// A word of a command line, quotation marks taken off.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, ' ') => words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty())),
            _ => word.push(letter),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[test]
fn the_examples_of_the_page_work() {
    let server = Server::start(SKILLS);
    let admin = server.person("admin");
    let mut known: Vec<(&str, String)> = vec![("$API", "/api/v1".to_owned())];
    let mut count = 0;
    for line in PAGE.lines().filter_map(|line| line.strip_prefix("    $ curl ")) {
        let (command, status) = line.rsplit_once('#').unwrap();
        let mut words = words(command.trim()).into_iter();
        let (mut method, mut body, mut path, mut headers) =
            ("GET".to_owned(), String::new(), String::new(), Vec::new());
        let mut is_somebody = false;
        while let Some(word) = words.next() {
            match word.as_str() {
                "-X" => method = words.next().unwrap(),
                "-d" => body = words.next().unwrap(),
                "-H" => match words.next().unwrap() {
                    auth if auth == "$AUTH" => is_somebody = true,
                    header => headers.push(header),
                },
                _ => path = word,
            }
        }
        for (name, value) in &known {
            path = path.replace(name, value);
        }
        if !body.is_empty() && method == "GET" {
            method = "POST".to_owned();
        }
        // What curl says of a body where nobody says anything.
        let form = headers.is_empty() && !body.is_empty();
        let form = form.then_some(("content-type", "application/x-www-form-urlencoded"));
        let stranger = (!is_somebody).then_some(("authorization", ""));
        let extra: Vec<(&str, &str)> = form.into_iter().chain(stranger).collect();
        let answer = admin.ask(&method, &path, &extra, &body);
        assert_eq!(answer.head.status.to_string(), status.trim(), "{line}\n{}", answer.body);
        let data = serde_json::from_str::<Json>(&answer.body).unwrap_or_default()["data"].clone();
        for (name, field) in [("$REQUEST", "request"), ("$ID", "id")] {
            if let Some(value) = data[field].as_str() {
                known.insert(0, (name, value.to_owned()));
            }
        }
        count += 1;
    }
    assert!(count > 15, "{count}");
}
