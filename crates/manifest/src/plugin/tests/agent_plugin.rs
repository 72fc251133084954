//! Agent Plugins 1.0.0.

use super::*;
use expect_test::expect;

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

/// Checks a manifest that names its schema and, unless `rest` does, itself.
#[track_caller]
fn check_manifest(rest: &str, expect: Expect) {
    let manifest = format!("{{\"$schema\": \"{SCHEMA}\",\n{rest}}}");
    let reading = read("the-directory", &Fixture::with("plugin.json", manifest), Standing::Anywhere);
    expect.assert_eq(&show(reading));
}

#[test]
fn unknown_keys_and_odd_extensions_are_reported_and_ignored() {
    check_manifest(
        r#""name": "a", "desciption": "x", "skills": "./s", "extensions": ["x"]"#,
        expect![[r#"
            agent-plugin from plugin.json
            name: "a"
            plugin.json:2:14: warning[unknown_key]: `desciption` is not a key of this manifest; it was ignored
              hint: did you mean `description`?
            plugin.json:2:33: warning[unknown_key]: `skills` is not a key of this manifest; it was ignored
              hint: remove it
            plugin.json:2:64: warning[plugin_field]: `extensions` is a list, but takes an object; it was ignored
              hint: write an object, keyed by domain
        "#]],
    );
}

#[test]
fn every_other_mistake_is_fatal() {
    check_manifest(
        r#""version": "1""#,
        expect![[r#"
        nothing from plugin.json
        plugin.json:1:1: error[plugin_invalid]: `name` is missing
          hint: add `name`
    "#]],
    );
    check_manifest(
        r#""name": """#,
        expect![[r#"
        nothing from plugin.json
        plugin.json:2:9: error[plugin_invalid]: `name` is empty
          hint: give `name` a value
    "#]],
    );
    check_manifest(
        r#""name": "Has--Bad..Name""#,
        expect![[r#"
        nothing from plugin.json
        plugin.json:2:9: error[plugin_invalid]: `name` is `Has--Bad..Name`, which is no name of an Agent Plugin
          hint: use at most 64 lower-case letters, digits, single hyphens and single periods, such as `acme.tools`
    "#]],
    );
    check_manifest(
        r#""name": 5"#,
        expect![[r#"
        nothing from plugin.json
        plugin.json:2:9: error[plugin_invalid]: `name` is a number, but takes text
          hint: write text
    "#]],
    );
}

#[test]
fn keys_and_types_are_exact() {
    check_manifest(
        r#""Name": "a""#,
        expect![[r#"
            nothing from plugin.json
            plugin.json:1:1: error[plugin_invalid]: `name` is missing
              hint: add `name`
            plugin.json:2:1: warning[unknown_key]: `Name` is not a key of this manifest; it was ignored
              hint: did you mean `name`?
        "#]],
    );
    check_manifest(
        r#""name": "a", "version": null, "description": 1, "author": "Ann", "homepage": [], "keywords": ["a", 1]"#,
        expect![[r#"
            nothing from plugin.json
            plugin.json:2:25: error[plugin_invalid]: `version` is nothing, but takes text
              hint: write text
            plugin.json:2:46: error[plugin_invalid]: `description` is a number, but takes text
              hint: write text
            plugin.json:2:59: error[plugin_invalid]: `author` is text, but takes an object
              hint: write an object
            plugin.json:2:78: error[plugin_invalid]: `homepage` is a list, but takes text
              hint: write text
            plugin.json:2:100: error[plugin_invalid]: `keywords[1]` is a number, but takes text
              hint: write text
        "#]],
    );
    check_manifest(
        r#""name": "a", "author": {"name": "Ann", "twitter": "x", "email": null}"#,
        expect![[r#"
            nothing from plugin.json
            plugin.json:2:40: error[plugin_invalid]: `author.twitter` is not allowed
              hint: keep `name`, `email` and `url` only
            plugin.json:2:65: error[plugin_invalid]: `author.email` is nothing, but takes text
              hint: write text
        "#]],
    );
}

#[test]
fn a_version_that_is_not_known_is_refused() {
    check(
        r#"
        //- plugin.json
        {"$schema": "https://agent-plugins.org/schemas/1.1.0/plugin.schema.json", "name": "a"}
        "#,
        expect![[r#"
            nothing from plugin.json
            plugin.json:1:13: error[plugin_invalid]: `$schema` is `https://agent-plugins.org/schemas/1.1.0/plugin.schema.json`, a version that is not read
              hint: write `https://agent-plugins.org/schemas/1.0.0/plugin.schema.json`
        "#]],
    );
}

#[test]
fn a_component_of_the_wrong_kind_is_left_out_alone() {
    check(
        r#"
        //- plugin.json
        {"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a"}
        //- skills
        not a directory
        //- mcp.json (link)
        "#,
        expect![[r#"
            agent-plugin from plugin.json
            name: "a"
            plugin.json:1:1: error[plugin_path]: `skills` is no directory, so no skill is read
              hint: make it a directory of skills
            mcp.json:1:1: warning[server_invalid]: this is no regular file
              hint: put the file itself here, not a link or a directory
        "#]],
    );
}
