//! Marketplaces of Claude and of Codex.

use super::*;
use crate::plugin::marketplace;
use expect_test::expect;

#[track_caller]
fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&show_marketplace(fixture));
}

#[test]
fn every_marketplace_on_file_reads_as_expected() {
    check_files("marketplace", show_marketplace);
}

fn show_marketplace(fixture: &str) -> String {
    let Some(reading) = marketplace::read("the-directory", &Fixture::parse(fixture)) else {
        return "no marketplace\n".to_owned();
    };
    let mut out = format!("from {}\n", reading.file);
    if let Some(marketplace) = &reading.marketplace {
        out += &show_fields(&serde_json::to_value(marketplace).unwrap(), &["plugins"]);
        for offer in &marketplace.plugins {
            let fields = show_fields(&serde_json::to_value(offer).unwrap(), &[]);
            writeln!(out, "- {}", fields.trim_end().replace('\n', "\n  ")).unwrap();
        }
    }
    out + &show_problems(&reading.problems)
}

#[test]
fn codex_has_local_sources_and_policies() {
    check(
        r#"
        //- .agents/plugins/marketplace.json
        {
          "name": "codex-market",
          "interface": {"displayName": "Codex Market"},
          "plugins": [
            {
              "name": "a",
              "source": {"source": "local", "path": "./plugins/a"},
              "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
              "category": "Tools"
            },
            {"name": "b", "source": {"source": "url", "url": "https://example.org/b.git", "path": "sub", "ref": "main"}}
          ]
        }
        "#,
        expect![[r#"
            from .agents/plugins/marketplace.json
            name: "codex-market"
            title: "Codex Market"
            - name: "a"
              source: {"Path":"plugins/a"}
              category: "Tools"
              policy: {"Map":[["installation",{"Text":"AVAILABLE"}],["authentication",{"Text":"ON_INSTALL"}]]}
            - name: "b"
              source: {"Git":{"url":"https://example.org/b.git","path":"sub","reference":"main","sha":null}}
        "#]],
    );
}

#[test]
fn a_file_without_a_list_is_no_marketplace() {
    check(
        "//- marketplace.json\n{\"name\": \"a\"}",
        expect![[r#"
        from marketplace.json
        marketplace.json:1:1: error[marketplace_invalid]: `plugins` is missing
          hint: add `plugins`
    "#]],
    );
    check(
        "//- marketplace.json\n{\"plugins\": {}}",
        expect![[r#"
        from marketplace.json
        marketplace.json:1:13: error[marketplace_invalid]: `plugins` is a mapping, but takes a list of plugins
          hint: write a list of plugins
    "#]],
    );
    check(
        "//- marketplace.json\n[]",
        expect![[r#"
        from marketplace.json
        marketplace.json:1:1: error[marketplace_invalid]: the file holds a list, not an object
          hint: write an object: {}
    "#]],
    );
    check(
        "//- marketplace.json\n{\"name\": }",
        expect![[r#"
        from marketplace.json
        marketplace.json:1:10: error[marketplace_invalid]: invalid JSON: unexpected close brace
          hint: check commas, quotes and brackets on this line
    "#]],
    );
    check(
        "//- .plugin/marketplace.json (link)\n",
        expect![[r#"
        from .plugin/marketplace.json
        .plugin/marketplace.json:1:1: error[marketplace_invalid]: this is no regular file
          hint: put the file itself here, not a link or a directory
    "#]],
    );
    check(
        "//- README.md\n",
        expect![[r#"
        no marketplace
    "#]],
    );
}

#[test]
fn an_empty_list_is_a_marketplace() {
    check(
        "//- .github/plugin/marketplace.json\n{\"plugins\": [], \"owner\": \"Ann\"}",
        expect![[r#"
        from .github/plugin/marketplace.json
        name: "the-directory"
        owner: {"name":"Ann","email":null,"url":null}
        .github/plugin/marketplace.json:1:1: error[marketplace_invalid]: `name` is missing
          hint: add `name`
    "#]],
    );
}
