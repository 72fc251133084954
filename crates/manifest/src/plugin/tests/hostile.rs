//! Files meant to break a reader: none of them may, and each gets an answer.

use super::*;
use crate::plugin::marketplace;
use expect_test::expect;

#[track_caller]
fn check_bytes(bytes: &[u8], expect: Expect) {
    let fixture = Fixture::with(".claude-plugin/plugin.json", bytes);
    expect.assert_eq(&show(read("the-directory", &fixture, Standing::Anywhere)));
}

#[test]
fn what_is_no_object_is_refused_with_its_place() {
    check_bytes(
        b"",
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:1:1: error[plugin_invalid]: invalid JSON: the text is empty
          hint: write an object: {}
    "#]],
    );
    check_bytes(
        b"[1]",
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:1:1: error[plugin_invalid]: the file holds a list, not an object
          hint: write an object: {}
    "#]],
    );
    check_bytes(
        b"\n\"text\"",
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:2:1: error[plugin_invalid]: the file holds text, not an object
          hint: write an object: {}
    "#]],
    );
    check_bytes(
        b"null",
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:1:1: error[plugin_invalid]: the file holds nothing, not an object
          hint: write an object: {}
    "#]],
    );
    check_bytes(
        b"{\n  \"name\": \"a\",\n}",
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:2:14: error[plugin_invalid]: invalid JSON: trailing commas are not allowed
          hint: check commas, quotes and brackets on this line
    "#]],
    );
    check_bytes(
        b"{\"name\": \"a\"} trailing",
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:1:15: error[plugin_invalid]: invalid JSON: text cannot contain more than one JSON value
          hint: check commas, quotes and brackets on this line
    "#]],
    );
}

#[test]
fn marks_and_line_ends_are_tolerated() {
    check_bytes(
        b"\xef\xbb\xbf{\r\n\"name\": \"a\",\r\n\"version\": 2\r\n}\r\n",
        expect![[r#"
        claude from .claude-plugin/plugin.json
        name: "a"
        version: "2"
        .claude-plugin/plugin.json:1:1: warning[byte_order_mark]: the file begins with a byte order mark
          hint: save the file as UTF-8 without a mark
        .claude-plugin/plugin.json:3:12: warning[value_invalid]: `version` is a number; it was read as text
          hint: put quotes around the value
    "#]],
    );
    check_bytes(
        b"{\"name\": \"a\", \"description\": \"\xff\"}",
        expect![[r#"
        claude from .claude-plugin/plugin.json
        name: "a"
        description: "�"
        .claude-plugin/plugin.json:1:31: warning[invalid_utf8]: the file is not UTF-8; the bytes were read as replacement characters
          hint: save the file as UTF-8
    "#]],
    );
    check_bytes(
        b"{\"name\": \"a\0\"}",
        expect![[r#"
            nothing from .claude-plugin/plugin.json
            .claude-plugin/plugin.json:1:12: error[binary_file]: the file holds a NUL byte
              hint: save the file as plain UTF-8 text
        "#]],
    );
}

#[test]
fn a_key_that_stands_twice_is_told() {
    check_bytes(
        b"{\"name\": \"a\",\n\"name\": \"b\"}",
        expect![[r#"
        claude from .claude-plugin/plugin.json
        name: "b"
        .claude-plugin/plugin.json:2:1: warning[duplicate_key]: `name` stands twice, first on line 1; this one counts
          hint: remove one of the two
    "#]],
    );
}

#[test]
fn deep_and_large_files_are_refused() {
    let deep = format!("{{\"name\": {}{}}}", "[".repeat(100), "]".repeat(100));
    check_bytes(
        deep.as_bytes(),
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:1:42: error[plugin_invalid]: the JSON is nested deeper than 32
          hint: flatten the value
    "#]],
    );
    check_bytes(
        "[".repeat(200_000).as_bytes(),
        expect![[r#"
        nothing from .claude-plugin/plugin.json
        .claude-plugin/plugin.json:1:513: error[plugin_invalid]: invalid JSON: maximum nesting depth exceeded
          hint: check commas, quotes and brackets on this line
    "#]],
    );
    check_bytes(
        " ".repeat(300_000).as_bytes(),
        expect![[r#"
            nothing from .claude-plugin/plugin.json
            .claude-plugin/plugin.json:1:1: error[file_too_large]: the file has 300000 bytes; the limit is 262144
              hint: shorten the file
        "#]],
    );
}

#[test]
fn long_text_is_not_repeated_in_messages() {
    let name = "x/".repeat(50_000);
    let manifest = format!("{{\"name\": \"{name}\", \"skills\": \"../{name}\", \"{name}\": 1}}");
    let fixture = Fixture::with("guild.plugin.json", manifest);
    let reading = read("d", &fixture, Standing::Anywhere).unwrap();
    assert!(!reading.problems.is_empty());
    for problem in reading.problems {
        assert!(problem.message.len() < 300, "{} characters", problem.message.len());
    }
}

#[test]
fn many_keys_and_many_servers_are_read_in_passing() {
    let keys: String = (0..20_000).map(|n| format!("\"k{n}\":1,")).collect();
    let fixture = Fixture::with("plugin.json", format!("{{{keys}\"name\":\"a\"}}"));
    let plugin = read("d", &fixture, Standing::Anywhere).unwrap().plugin.unwrap();
    assert_eq!(plugin.extra.len(), 20_000);
    let offers: String = (0..20_000).map(|n| format!("{{\"name\":\"p{n}\",\"source\":\"./p\"}},")).collect();
    let fixture = Fixture::with("marketplace.json", format!("{{\"name\":\"m\",\"plugins\":[{offers}{{}}]}}"));
    let reading = marketplace::read("d", &fixture).unwrap();
    assert_eq!(reading.marketplace.unwrap().plugins.len(), 20_000);
    assert_eq!(reading.problems.len(), 2);
}

/// Good manifests, to be broken.
const SAMPLES: [(&str, &str); 7] = [
    (
        "guild.plugin.json",
        r#"{"id":"a","name":"A","description":"d","version":"1.0.0-x","capabilities":["tools","prompt"],
        "requiredEnvVars":["K"],"dependencies":["b",{"name":"c","version":"^1"}],"author":"A <a@b> (c)",
        "tools":{"t":{"description":"é","command":["x"],"inputSchema":{"type":"object"}}},
        "promptSections":[{"heading":"h","content":"c","priority":-5}],"hooks":{"onEnable":"x"}}"#,
    ),
    (
        "plugin.json",
        r#"{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"a.b",
        "author":{"name":"A"},"keywords":["k"],"extensions":{"x.y":{}}}"#,
    ),
    (
        ".claude-plugin/plugin.json",
        r#"{"name":"a","skills":["./s",".","../x"],"hooks":[{"Stop":[]}],"repository":{"url":"u"},
        "mcpServers":[{"a":{"command":"c","args":["\ud83d\ude00"],"env":{"A":"1"},"cwd":"${X}/y"}},"./m.json"],
        "userConfig":{"k":{"type":"file","default":1e999}},"dependencies":[{"name":"b"}]}"#,
    ),
    (
        "gemini-extension.json",
        r#"{"name":"g","settings":[{"name":"n","envVar":"E"}],"mcpServers":{"a":{"httpUrl":"https://[::1]:1/"}}}"#,
    ),
    ("openclaw.plugin.json", "{id:'a',configSchema:{},skills:['s'],n:0x1F,/* c */}"),
    ("mindroom.plugin.json", r#"{"name":"m","tools_module":"t.py","skills":["s"]}"#),
    (
        "mcp.json",
        r#"{"$schema":"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json","mcpServers":
        {"a":{"type":"stdio","command":"./a","cwd":"${PLUGIN_DATA}/x"},"b":{"type":"sse","url":"http://[::1]/"}}}"#,
    ),
];

const MARKETPLACE: &str = r#"{"name":"m","owner":{"name":"o"},"metadata":{"pluginRoot":"./p"},"renames":{"a":null},
    "plugins":[{"name":"a","source":"b"},{"name":"c","source":{"source":"git-subdir","url":"git@h:p","path":"x"}},
    {"name":"d","source":{"source":"command","command":"c","timeout":5}}]}"#;

/// Reads bytes in every way there is; it is enough that all of them come back.
fn read_all(path: &str, bytes: Vec<u8>) {
    let mut fixture = Fixture::with(path, bytes.clone());
    if path == "mcp.json" {
        fixture.put("plugin.json", Found::Bytes(SAMPLES[1].1.as_bytes().to_vec()));
    }
    let reading = read("d", &fixture, Standing::Candidate);
    if let Some(reading) = &reading {
        let excluded = reading.problems.iter().any(Problem::excludes);
        assert!(reading.plugin.is_some() || excluded, "nothing was read and no problem says why");
        assert!(reading.plugin.is_none() || !excluded);
    }
    let reading = marketplace::read("d", &Fixture::with("marketplace.json", bytes)).unwrap();
    assert!(reading.marketplace.is_some() || !reading.problems.is_empty());
}

fn samples() -> impl Iterator<Item = (&'static str, &'static str)> {
    SAMPLES.into_iter().chain([("marketplace.json", MARKETPLACE)])
}

#[test]
fn samples_are_good_before_they_are_broken() {
    for (path, text) in SAMPLES.iter().filter(|(path, _)| *path != "mcp.json") {
        let reading = read("d", &Fixture::with(path, *text), Standing::Anywhere).unwrap();
        assert!(reading.plugin.is_some(), "{path}: {:?}", reading.problems);
    }
    let reading = marketplace::read("d", &Fixture::with("marketplace.json", MARKETPLACE)).unwrap();
    assert_eq!(reading.problems, []);
}

#[test]
fn a_file_cut_anywhere_gets_an_answer() {
    for (path, text) in samples() {
        for end in 0..=text.len() {
            read_all(path, text.as_bytes()[..end].to_vec());
        }
    }
}

#[test]
fn a_file_with_random_bytes_in_it_gets_an_answer() {
    let mut dice = guild_testkit::Dice::new(0x9e37_79b9_7f4a_7c15);
    let mut random = move |below: usize| dice.below(below);
    let alphabet = b"{}[]\",:.-_/\\$~0e\0\xff\xc3\r\n nft";
    for (path, text) in samples() {
        for _ in 0..1_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(4) {
                    0 => bytes[at] = alphabet[random(alphabet.len())],
                    1 => bytes[at] ^= 1 << random(8),
                    2 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, alphabet[random(alphabet.len())]),
                }
            }
            read_all(path, bytes);
        }
    }
}
