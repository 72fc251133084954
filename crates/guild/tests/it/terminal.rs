//! Hostile text never reaches the terminal as anything but text, and colour comes only where it is wanted.

use crate::env;
use guild_testkit::{Env, Output};
use serde_json::json;
use std::fs;

/// What a hostile author puts wherever text is taken: a title, a cleared screen, a bell, a backspace, a turned direction, a
/// C1 introducer, DEL and a hidden tag.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{8}\u{202e}\u{9b}31m\u{7f}\u{e0041}\u{200b}";

/// Skills, plugins and configuration whose every text is hostile, file and directory names included.
fn hostile() -> Env {
    let env = env("//- /project/.git/\n");
    let quoted = HOSTILE.chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect::<String>();
    let write = |path: &str, text: String| {
        let path = env.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let skill = format!(
        "---\nname: \"evil{quoted}\"\ndescription: \"does\\nthings{quoted}\"\nwhen_to_use: \"{quoted}\"\nallowed-tools: \"{quoted}\"\n\
         paths: [\"{quoted}\"]\nmetadata: {{openclaw: {{requires: {{bins: [\"{quoted}\"]}}}}}}\nodd{quoted}key: 1\n---\nbody{HOSTILE}\r\n!`{HOSTILE}`\n"
    );
    write(&format!(".claude/skills/evil{HOSTILE}\n/SKILL.md"), skill.clone());
    write(".agents/skills/evil/SKILL.md", skill);
    write(
        ".claude/skills/raw/SKILL.md",
        format!("---\nname: raw{HOSTILE}\ndescription: {HOSTILE}\n---\n{HOSTILE}\n"),
    );
    write(".claude/skills/broken/SKILL.md", format!("no frontmatter {HOSTILE}\n"));
    write(".claude/skills/tagged/SKILL.md", format!("---\nname: !{HOSTILE} x\n{HOSTILE}: [\n---\nx\n"));
    write(
        ".claude/skills/script/SKILL.md",
        format!("---\nname: script\nscript: \"{quoted}.sh\"\nparams: {{\"{quoted}\": string}}\n---\nx\n"),
    );
    let manifest = json!({"name": "bad", "version": [HOSTILE], "description": HOSTILE, "skills": format!("../{HOSTILE}")});
    write(".claude/plugins/bad/.claude-plugin/plugin.json", manifest.to_string());
    write(".claude/plugins/worse/.claude-plugin/plugin.json", format!("{{\"name\": \"{HOSTILE}\""));
    write("guild.toml", format!("\"{quoted}\" = 1\n[skills]\npaths = [\"more{quoted}\"]\n"));
    env
}

#[track_caller]
fn assert_harmless(output: &Output, arguments: &[&str]) {
    for text in [output.stdout(), output.stderr()] {
        for (number, line) in text.split('\n').enumerate() {
            let bad = line.chars().find(|c| c.is_control() || (!c.is_ascii() && HOSTILE.contains(*c)));
            assert_eq!(bad, None, "{arguments:?}, line {}: {line:?}", number + 1);
        }
    }
}

#[test]
fn hostile_text_is_shown_as_text_by_every_command() {
    let env = hostile();
    let hostile_name = format!("no-such{HOSTILE}");
    let commands: &[&[&str]] = &[
        &["list"],
        &["list", "--all"],
        &["list", "--source", &hostile_name],
        &["list", "--agent", &hostile_name],
        &["list", "--color", "never", "--file", &hostile_name],
        &["show", "evil"],
        &["show", "raw"],
        &["show", "script"],
        &["show", &hostile_name],
        &["search", "evil"],
        &["search", &hostile_name],
        &["check"],
        &["check", "--profile", "strict"],
        &["check", "--sarif"],
        &["check", &hostile_name],
        &["vet", "--sarif"],
        &["roots"],
        &["plugins"],
        &["prompt", "--format", "xml"],
        &["prompt", "--format", "index"],
        &["prompt", "--format", "bullets"],
        &["prompt", "--format", "json"],
        &["reload"],
        &["doctor"],
        &["explain", &hostile_name],
        &["render", &hostile_name],
        &["new", &hostile_name],
        &["new", "x", "--from", ".claude/skills/broken/SKILL.md"],
        &["watch", "--for", "0.01"],
        &["approve", &hostile_name, "--once"],
        &["deny", &hostile_name, "--agent", &hostile_name],
        &["grants", "revoke", &hostile_name],
        &["receipts", "list", "--skill", &hostile_name],
        &["receipts", "list"],
        &["receipts", "show", &hostile_name],
        &["receipts", "verify", "--file", &hostile_name],
        &["receipts", "export", &format!("{hostile_name}/x")],
        &["token", "create", &hostile_name, "--agent", &hostile_name],
        &["token", "list"],
        &["vet", "allow", &hostile_name, "--skill", "raw", "--why", &hostile_name],
        &["vet", "disallow", &hostile_name],
        &[&hostile_name],
        &["list", &hostile_name],
    ];
    for arguments in commands {
        assert_harmless(&env.guild(arguments), arguments);
    }
}

#[test]
fn a_text_for_models_is_harmless_on_a_terminal_and_exact_in_a_pipe() {
    let env = env("
        //- /home/.config/guild/config.toml
        [skills.entries.a]
        inject = true
        //- /project/.guild/skills/a/SKILL.md
        ---
        name: a
        description: Wipes.
        ---
        wipe \u{1b}[2J it
        ");
    let arguments = ["prompt", "--format", "sections"];
    assert!(env.guild(&arguments).stdout().contains("wipe \u{1b}[2J it"));
    let mut screen = env.invocation(&arguments).full_screen();
    screen.see("wipe \\u{1b}[2J it");
    screen.finish();
}

#[test]
fn a_path_keeps_its_blanks() {
    let env = env("
        //- /home/.config/guild/config.toml
        skills.paths = [\"~/my  skills\"]
        //- /home/my  skills/a/SKILL.md
        ---
        name: a
        description: d
        ---
        x
        ");
    for arguments in [&["roots"][..], &["show", "a"]] {
        let shown = env.guild(arguments).stdout();
        assert!(shown.contains("/home/my  skills"), "{shown}");
    }
}

#[test]
fn the_hostile_world_is_really_seen() {
    let text = hostile().guild(&["check"]).to_string();
    for code in
        ["missing_frontmatter", "name_invalid", "config_key_unknown", "plugin_invalid", "command_inert"]
    {
        assert!(text.contains(code), "{code} is not in {text}");
    }
    assert!(text.contains("\\u{1b}"), "{text}");
}

#[test]
fn colour_comes_only_where_it_is_wanted() {
    let env = env("//- /project/.guild/skills/a/SKILL.md\nno frontmatter\n");
    let has_colour = |arguments: &[&str], no_color: &str| {
        let run = env.invocation(arguments).env("NO_COLOR", no_color).env("TERM", "xterm-256color");
        run.output().raw_stdout().contains(&0x1b)
    };
    assert!(!has_colour(&["list"], ""), "a pipe gets none");
    assert!(!has_colour(&["list", "--color", "never"], ""));
    assert!(has_colour(&["list", "--color", "always"], ""));
    assert!(has_colour(&["check", "--color", "always"], ""));
    assert!(has_colour(&["list", "--color", "always"], "1"), "what a person says on the spot counts more");
    assert!(!has_colour(&["list", "--color", "always", "--json"], ""), "programs get none");
}

#[test]
fn colour_carries_no_meaning_of_its_own() {
    let env = env("//- /project/.guild/skills/a/SKILL.md\nno frontmatter\n");
    for arguments in [["list", "--all"], ["check", "."], ["roots", "--all"]] {
        let plain = env.guild(&arguments).stdout();
        let arguments: Vec<&str> = arguments.into_iter().chain(["--color", "always"]).collect();
        let coloured = env.guild(&arguments).stdout();
        let mut stripped = coloured.clone();
        for code in ["1", "2", "31", "32", "33", "36", "0"] {
            stripped = stripped.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(stripped, plain);
        assert_ne!(coloured, plain);
    }
}

#[test]
fn what_a_link_leads_to_outside_a_skill_is_never_shown() {
    let env = env("
        //- /home/secret
        ---
        name: the-secret-line
        script: ../the-secret-line
        ---
        //- /project/.guild/skills/file/SKILL.md link:/home/secret
        //- /project/.guild/skills/beside/SKILL.md
        ---
        name: beside
        description: Links a key of the person's
        ---
        Read the notes.
        //- /project/.guild/skills/beside/notes link:/home/secret
        //- /project/.guild/skills/sidecar/SKILL.md
        ---
        name: sidecar
        description: Its sidecar is somebody else's file
        ---
        Do it.
        //- /project/.guild/skills/sidecar/agents/openai.yaml link:/home/secret
        //- /project/.guild/skills/twice/SKILL.md
        ---
        name: twice
        description: Has its file a second time, as a link
        ---
        Do it.
        //- /project/.guild/skills/twice/skill.md link:/home/secret
        ");
    for arguments in [
        &["check"][..],
        &["check", "--json"],
        &["check", "--sarif"],
        &["check", ".guild/skills/file", "--profile", "strict"],
        &["check", ".guild/skills/twice"],
        &["check", ".guild/skills/twice/skill.md"],
        &["list", "--all", "--json"],
        &["reload"],
        &["show", "beside"],
        &["search", "secret"],
        &["doctor"],
    ] {
        let output = env.guild(arguments);
        let shown = format!("{}{}", output.stdout(), output.stderr());
        assert!(!shown.contains("the-secret-line"), "{arguments:?} shows it: {shown}");
    }
}
