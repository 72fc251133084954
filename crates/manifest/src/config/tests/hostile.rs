//! Whatever the bytes, reading and merging end; what is shown stays short; secrets stay unseen.

use super::super::Layer::{Project, System, User};
use super::super::{Config, expand, merge, read};
use super::layered;

const TEXTS: [(&str, &str); 2] = [
    (
        "c.toml",
        "builtins = true\nplugins = ['a', {path = \"b\", settings = {x = 1.5}}]\n[skills]\npaths = ['~/x']\n[skills.entries.\"ä\"]\nenabled = false\n[agents.x]\nskills = ['*']\n[limits]\nmax_depth = 0x2\n[mcp]\na = 1979-05-27\n",
    ),
    (
        "c.yaml",
        "builtins: true\nplugins: [a, {path: b}]\nskills:\n  paths:\n    - ~/x\n  entries: {\"ä\": {enabled: no}}\nagents: {x: {skills: '*'}}\nlimits: {max_depth: 0x2}\nmcp: |\n  a\n",
    ),
];

#[track_caller]
fn survive(file: &str, bytes: &[u8]) {
    for layer in [System, User, Project] {
        let reading = read(file, bytes, layer);
        let config = merge(vec![(layer, reading.settings)]);
        serde_json::to_string(&config).unwrap();
    }
}

#[test]
fn every_truncation_and_every_changed_byte_is_survived() {
    for (file, text) in TEXTS {
        let bytes = text.as_bytes();
        for end in 0..bytes.len() {
            survive(file, &bytes[..end]);
            for mask in [0x01, 0x20, 0x80, 0xff] {
                let mut changed = bytes.to_vec();
                changed[end] ^= mask;
                survive(file, &changed);
            }
        }
    }
}

#[test]
fn every_value_in_every_key_is_survived() {
    let values = [
        "1",
        "-1",
        "''",
        "'x'",
        "[]",
        "[[]]",
        "{}",
        "{a={}}",
        "[{}]",
        "true",
        "1e9",
        "'\\u0000'",
        "\"\\u0000\"",
    ];
    for key in [
        "skills",
        "skills.paths",
        "skills.extra_paths",
        "skills.disabled",
        "skills.entries",
        "skills.entries.a",
        "skills.entries.a.enabled",
        "skills.entries.a.config",
        "plugins",
        "plugins.load",
        "plugins.paths",
        "plugins.disabled",
        "agents",
        "agents.a",
        "agents.a.skills",
        "agents.a.tools",
        "builtins",
        "limits",
        "limits.max_depth",
        "prompt",
        "prompt.budget",
        "prompt.format",
        "config",
        "config.a",
        "mcp",
        "''",
        "\"\\u001b\"",
    ] {
        for value in values {
            survive("c.toml", format!("{key} = {value}\n").as_bytes());
        }
    }
}

#[test]
fn a_long_key_or_path_is_told_in_few_words() {
    let long = "x".repeat(50_000);
    let text = format!(
        "{long} = 1\n[skills]\npaths = ['/{long}']\n[agents.a]\nskills = ['{long}']\n[agents.{long}]\ny = 1\n"
    );
    let (_, problems) = layered(&[(User, "[agents.a]\nskills = []"), (Project, &text)]);
    assert_eq!(problems.len(), 4);
    for problem in problems {
        assert!(problem.message.len() + problem.hint.len() < 500, "{problem}");
    }
}

#[test]
fn control_characters_of_a_key_are_escaped_in_its_name() {
    let (_, problems) = layered(&[(Project, "\"\\u001b[31m\" = 1")]);
    assert_eq!(problems[0].message, r#"`"\u{1b}[31m"` is not known; it was ignored"#);
}

#[test]
fn free_tables_are_hashed_and_not_shown() {
    let of = |secret: &str| -> Config {
        let text = format!(
            "plugins = [{{path = 'p', settings = {{k = '{secret}'}}}}]\n[config]\nk = '{secret}'\n[skills.entries.a.config]\nk = '{secret}'\n[mcp]\nk = '{secret}'"
        );
        layered(&[(User, &text)]).0
    };
    let json = |secret: &str| serde_json::to_string(&of(secret)).unwrap();
    assert!(!json("hush").contains("hush"));
    assert_eq!(json("hush").matches("sha256:").count(), 4);
    assert_ne!(json("hush"), json("hash"));
}

#[test]
fn a_line_that_moves_does_not_change_what_is_hashed() {
    let of = |text: &str| serde_json::to_string(&layered(&[(User, text)]).0).unwrap();
    assert_eq!(of("[skills]\npaths = ['a']"), of("# why\n\n[skills]\npaths = [\n'a']"));
}

#[test]
fn no_path_of_a_projects_file_expands_out_of_it() {
    let words =
        ["..", ".", "~", "a", "${HOME}", "", "\\", "C:", "~root", "$HOME", " .. ", "..\\..", "\u{2025}"];
    for one in words {
        for two in words {
            for path in [format!("{one}/{two}"), format!("/{one}/{two}"), format!("{one}{two}")] {
                let text = format!("skills:\n  paths: ['{path}']\n");
                let reading = read(".guild/config.yaml", text.as_bytes(), Project);
                for place in reading.settings.skill_paths {
                    let env = |_: &str| Some("/outside".to_owned());
                    let whole = expand(&place.path, Some("/outside"), &env, place.base("/in")).unwrap();
                    assert!(whole.starts_with("/in"), "{path} -> {whole}");
                    assert!(whole.split('/').all(|part| part != ".."), "{path} -> {whole}");
                }
            }
        }
    }
}
