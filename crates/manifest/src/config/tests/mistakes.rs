//! One file with mistakes: what is wrong is told with its place and a hint, and the rest counts.

use super::{check_file, check_user};
use expect_test::expect;

#[test]
fn an_unknown_key_gets_a_near_one() {
    check_user(
        "[skill]\n[skills]\npath = []\nmax_depth = 3\n[skills.entries.x]\nenabld = true\n[agents.a]\nskils = []\n[limits]\nbudget = 1\n[zebra]\n",
        expect![[r#"
            skills: {"x":{"enabled":true,"inject":false,"config":{}}}
            agents: {"a":{"skills":{"only":[]},"tools":null},"default":{"skills":"everything","tools":null}}
            /home/u/c.toml:1:2: warning[config_key_unknown]: `skill` is not known; it was ignored
              hint: did you mean `skills`?
            /home/u/c.toml:3:1: warning[config_key_unknown]: `skills.path` is not known; it was ignored
              hint: did you mean `paths`?
            /home/u/c.toml:4:1: warning[config_key_unknown]: `skills.max_depth` is not known; it was ignored
              hint: did you mean `limits.max_depth`?
            /home/u/c.toml:6:1: warning[config_key_unknown]: `skills.entries.x.enabld` is not known; it was ignored
              hint: did you mean `enabled`?
            /home/u/c.toml:8:1: warning[config_key_unknown]: `agents.a.skils` is not known; it was ignored
              hint: did you mean `skills`?
            /home/u/c.toml:10:1: warning[config_key_unknown]: `limits.budget` is not known; it was ignored
              hint: did you mean `prompt.budget`?
            /home/u/c.toml:11:2: warning[config_key_unknown]: `zebra` is not known; it was ignored
              hint: the keys known here are: skills, plugins, agents, builtins, limits, prompt, config, approvals, ledger, mcp, roles, runners, sandbox, secrets, serve, sources, subagents, trust, vet
        "#]],
    );
}

/// `roots` is near to `roles` by its letters alone.
#[test]
fn a_word_for_another_key_gets_that_one() {
    check_user(
        "roots = ['x']\n[agents.a]\nskills = []\n[sandbox.roles.r]\nroots = 'x'\n",
        expect![[r#"
        agents: {"a":{"skills":{"only":[]},"tools":null},"default":{"skills":"everything","tools":null}}
        sandbox: {"backend":"auto","role":"default","roles":{"default":{"root":"host","description":null},"r":{"root":"unreadable","description":null}},"limits":"strict","usage":{"cpus":1.0,"memory_mb":512,"pids":128,"timeout_seconds":600,"output_bytes":1048576,"scratch_mb":256},"ceilings":{"containers":4,"cpus":4.0,"memory_mb":8192},"images":{"max_bytes":17179869184,"max_files":1000000,"insecure_registries":[]}}
        /home/u/c.toml:1:1: warning[config_key_unknown]: `roots` is not known; it was ignored
          hint: did you mean `skills.paths`?
        /home/u/c.toml:4:1: warning[config_value_invalid]: `sandbox.roles.r` says 0 of `root`, `directory` and `image`, but takes one
          hint: write root = "host", directory = "/path" or image = "name"
        /home/u/c.toml:5:1: warning[config_key_unknown]: `sandbox.roles.r.roots` is not known; it was ignored
          hint: did you mean `root`?
    "#]],
    );
}

#[test]
fn secrets_of_a_skill_are_not_kept() {
    check_user(
        "[skills.entries.x]\nenv = { TOKEN = 'hush' }\napiKey = 'hush'\n",
        expect![[r#"
            skills: {"x":{"enabled":true,"inject":false,"config":{}}}
            /home/u/c.toml:2:1: warning[config_key_unknown]: `skills.entries.x.env` is not kept, because secrets stand there; it was ignored
              hint: set the variable in the environment
            /home/u/c.toml:3:1: warning[config_key_unknown]: `skills.entries.x.api_key` is not kept, because secrets stand there; it was ignored
              hint: set the variable in the environment
        "#]],
    );
}

#[test]
fn a_value_of_the_wrong_type_is_left_out_and_the_rest_counts() {
    check_user(
        r#"
builtins = "maybe"
config = 1
vet = "strict"
[skills]
paths = ["a", 1.5, ["b"], "", {x = 1}]
extra_paths = {a = 1}
disabled = 3
entries = ["x"]
[agents]
a = "everything"
b = {skills = 7, tools = [true, {}]}
"#,
        expect![[r#"
            skill_paths: [{"path":"a","layer":"user","file":"/home/u/c.toml"},{"path":"1.5","layer":"user","file":"/home/u/c.toml"}]
            agents: {"a":{"skills":{"only":[]},"tools":null},"b":{"skills":{"only":[]},"tools":[]},"default":{"skills":"everything","tools":null}}
            /home/u/c.toml:2:12: warning[config_value_invalid]: `builtins` is text, but takes true or false; it was ignored
              hint: write true or false
            /home/u/c.toml:3:10: warning[config_value_invalid]: `config` is a number, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:4:7: warning[config_value_invalid]: `vet` is text, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:6:20: warning[config_value_invalid]: `skills.paths` has an entry that is no text; it was ignored
              hint: write text that is not empty
            /home/u/c.toml:6:27: warning[config_value_invalid]: `skills.paths` has an entry that is no text; it was ignored
              hint: write text that is not empty
            /home/u/c.toml:6:31: warning[config_value_invalid]: `skills.paths` has an entry that is no text; it was ignored
              hint: write text that is not empty
            /home/u/c.toml:7:15: warning[config_value_invalid]: `skills.extra_paths` is a mapping, but takes a list of text; it was ignored
              hint: write a list of text
            /home/u/c.toml:8:12: warning[config_value_invalid]: `skills.disabled` is a number, but takes a list of text; it was ignored
              hint: write a list of text
            /home/u/c.toml:9:11: warning[config_value_invalid]: `skills.entries` is a list, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:11:5: warning[config_value_invalid]: `agents.a` is text, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:12:15: warning[config_value_invalid]: `agents.b.skills` is a number, but takes a list of text; it was ignored
              hint: write a list of text
            /home/u/c.toml:12:27: warning[config_value_invalid]: `agents.b.tools` has an entry that is no text; it was ignored
              hint: write text that is not empty
            /home/u/c.toml:12:33: warning[config_value_invalid]: `agents.b.tools` has an entry that is no text; it was ignored
              hint: write text that is not empty
        "#]],
    );
    check_user(
        "skills = ['a']\nagents = 1\nlimits = 2\nprompt = false\n",
        expect![[r#"
        /home/u/c.toml:1:10: warning[config_value_invalid]: `skills` is a list, but takes a table of keys and values; it was ignored
          hint: write a table of keys and values
        /home/u/c.toml:2:10: warning[config_value_invalid]: `agents` is a number, but takes a table of keys and values; it was ignored
          hint: write a table of keys and values
        /home/u/c.toml:3:10: warning[config_value_invalid]: `limits` is a number, but takes a table of keys and values; it was ignored
          hint: write a table of keys and values
        /home/u/c.toml:4:10: warning[config_value_invalid]: `prompt` is a boolean, but takes a table of keys and values; it was ignored
          hint: write a table of keys and values
    "#]],
    );
}

#[test]
fn a_number_or_a_choice_outside_its_bounds_is_left_out() {
    check_user(
        "[limits]\nmax_depth = 0\nmax_file_bytes = '1M'\nmax_entries = -1\n[prompt]\nbudget = 1.5\nformat = 'html'\n",
        expect![[r#"
            /home/u/c.toml:2:13: warning[config_value_invalid]: `limits.max_depth` is a number, but takes a whole number from 1 to 32; it was ignored
              hint: write a whole number from 1 to 32
            /home/u/c.toml:3:18: warning[config_value_invalid]: `limits.max_file_bytes` is text, but takes a whole number from 1024 to 67108864; it was ignored
              hint: write a whole number from 1024 to 67108864
            /home/u/c.toml:4:15: warning[config_value_invalid]: `limits.max_entries` is a number, but takes a whole number from 1 to 100000000; it was ignored
              hint: write a whole number from 1 to 100000000
            /home/u/c.toml:6:10: warning[config_value_invalid]: `prompt.budget` is a number, but takes a whole number from 1 to 100000000; it was ignored
              hint: write a whole number from 1 to 100000000
            /home/u/c.toml:7:10: warning[config_value_invalid]: `prompt.format` is text, but takes one of xml, index, bullets, json, sections; it was ignored
              hint: write one of xml, index, bullets, json, sections
        "#]],
    );
}

#[test]
fn a_plugin_of_the_wrong_form_is_left_out() {
    check_user(
        "plugins = [{enabled = true}, {path = ['a']}, {path = 'p', enabled = 'x', settings = 1, hooks = []}, true, 'ok']",
        expect![[r#"
            plugins: [{"place":{"path":"p","layer":"user","file":"/home/u/c.toml"},"enabled":true,"settings":{},"hooks":{}},{"place":{"path":"ok","layer":"user","file":"/home/u/c.toml"},"enabled":true,"settings":{},"hooks":{}}]
            /home/u/c.toml:1:12: warning[config_value_invalid]: `plugins` has a table without a `path`; it was ignored
              hint: say where the plugin is: { path = "…" }
            /home/u/c.toml:1:38: warning[config_value_invalid]: `plugins` has an entry that is no text; it was ignored
              hint: write text that is not empty
            /home/u/c.toml:1:69: warning[config_value_invalid]: `plugins.enabled` is text, but takes true or false; it was ignored
              hint: write true or false
            /home/u/c.toml:1:85: warning[config_value_invalid]: `plugins.settings` is a number, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:1:96: warning[config_value_invalid]: `plugins.hooks` is a list, but takes a table of keys and values; it was ignored
              hint: write a table of keys and values
            /home/u/c.toml:1:101: warning[config_value_invalid]: `plugins` has an entry that is no text; it was ignored
              hint: write text that is not empty
        "#]],
    );
    check_user(
        "[plugins]\nload = {a = 1}\ndisabled = {}",
        expect![[r#"
        /home/u/c.toml:2:8: warning[config_value_invalid]: `plugins.load` is a mapping, but takes a list of paths and tables; it was ignored
          hint: write a list of paths and tables
        /home/u/c.toml:3:12: warning[config_value_invalid]: `plugins.disabled` is a mapping, but takes a list of text; it was ignored
          hint: write a list of text
    "#]],
    );
    check_user(
        "plugins = 'one'",
        expect![[r#"
        /home/u/c.toml:1:11: warning[config_value_invalid]: `plugins` is text, but takes a list of paths and tables; it was ignored
          hint: write a list of paths and tables
    "#]],
    );
    check_user(
        "[[plugins]]\npath = 'a'\n[plugins.hooks.h]\ntimeout_ms = 0\npriority = 'x'\nwhen = 1",
        expect![[r#"
            plugins: [{"place":{"path":"a","layer":"user","file":"/home/u/c.toml"},"enabled":true,"settings":{},"hooks":{"h":{"enabled":null,"priority":null,"timeout_ms":null}}}]
            /home/u/c.toml:4:14: warning[config_value_invalid]: `plugins.hooks.h.timeout_ms` is a number, but takes a whole number from 1 to 3600000; it was ignored
              hint: write a whole number from 1 to 3600000
            /home/u/c.toml:5:12: warning[config_value_invalid]: `plugins.hooks.h.priority` is text, but takes a whole number; it was ignored
              hint: write a whole number
            /home/u/c.toml:6:1: warning[config_key_unknown]: `plugins.hooks.h.when` is not known; it was ignored
              hint: the keys known here are: enabled, priority, timeout_ms
        "#]],
    );
}

#[test]
fn two_spellings_of_one_key_are_told_and_the_last_counts() {
    check_user(
        "[limits]\nmax_depth = 2\nmaxDepth = 3\n",
        expect![[r#"
            limits: {"max_file_bytes":262144,"max_depth":3,"max_entries":1000000}
            /home/u/c.toml:3:1: warning[duplicate_key]: `limits.max_depth` stands twice, first on line 2; this one counts
              hint: remove one of the two
        "#]],
    );
    check_file(
        "c.yaml",
        b"builtins: true\nbuiltins: false\n",
        expect![[r#"
        builtins: false
        c.yaml:2:1: warning[duplicate_key]: `builtins` stands twice, first on line 1; this one counts
          hint: remove one of the two
    "#]],
    );
}

#[test]
fn a_file_of_broken_syntax_is_one_problem_and_no_settings() {
    check_file(
        "c.toml",
        b"builtins = false\n[skills\n",
        expect![[r#"
        c.toml:2:8: error[config_invalid]: invalid TOML: unclosed table, expected `]`
          hint: see the TOML syntax of tables, strings and lists
    "#]],
    );
    check_file(
        "c.toml",
        b"builtins = false\nbuiltins = true\n",
        expect![[r#"
        c.toml:2:1: error[config_invalid]: invalid TOML: duplicate key
          hint: see the TOML syntax of tables, strings and lists
    "#]],
    );
    check_file(
        "c.yaml",
        b"builtins: false\na: b: c\n",
        expect![[r#"
        c.yaml:2:5: error[config_invalid]: invalid YAML: mapping values are not allowed in this context
          hint: quote the value, or check indentation and brackets on this line
    "#]],
    );
    check_file(
        "c.yaml",
        b"a: 1\na: 2\nbuiltins: &x false\n",
        expect![[r#"
        c.yaml:3:11: error[config_invalid]: the YAML uses an anchor, an alias or a tag, which configuration may not
          hint: write the value out; if the character is meant literally, quote it
    "#]],
    );
}

#[test]
fn a_file_of_the_wrong_shape_is_one_problem_and_no_settings() {
    check_file(
        "c.yaml",
        b"- builtins\n",
        expect![[r#"
        c.yaml:1:1: error[config_invalid]: the file is a list, but takes keys with values
          hint: begin with a key, such as `skills:`
    "#]],
    );
    check_file(
        "c.yaml",
        b"builtins\n",
        expect![[r#"
        c.yaml:1:1: error[config_invalid]: the file is text, but takes keys with values
          hint: begin with a key, such as `skills:`
    "#]],
    );
    check_file(
        "c.yaml",
        "[".repeat(50).as_bytes(),
        expect![[r#"
        c.yaml:1:33: error[config_invalid]: the YAML has more than 20000 values or is nested deeper than 32
          hint: move large data into a file of its own
    "#]],
    );
}

#[test]
fn a_file_that_is_no_text_is_one_problem_and_no_settings() {
    check_file(
        "c.toml",
        b"builtins = false\n# \xff\n",
        expect![[r#"
        c.toml:2:3: error[config_invalid]: the file is not UTF-8
          hint: save the file as UTF-8
    "#]],
    );
    check_file(
        "c.toml",
        b"builtins = false\n# \0\n",
        expect![[r#"
        c.toml:2:3: error[config_invalid]: the file holds a NUL byte
          hint: save the file as plain UTF-8 text
    "#]],
    );
    check_file(
        "c.toml",
        &vec![b'#'; 300_000],
        expect![[r#"
        c.toml:1:1: error[config_invalid]: the file has 300000 bytes; the limit is 262144
          hint: keep the configuration short
    "#]],
    );
}
