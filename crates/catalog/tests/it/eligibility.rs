//! Whether a skill can be used here, and every reason why not.

use crate::world::World;
use expect_test::{Expect, expect};
use std::os::unix::fs::symlink;
use std::path::Path;

/// Judges one skill with this frontmatter on the machine that `prepare` makes.
#[track_caller]
fn check_on(frontmatter: &str, prepare: impl FnOnce(World) -> World, expect: Expect) {
    let frontmatter = frontmatter.trim_matches('\n');
    let indent = frontmatter.len() - frontmatter.trim_start().len();
    let lines: String =
        frontmatter.lines().map(|line| format!("{}\n", line.get(indent..).unwrap_or(""))).collect();
    let world = World::new("");
    world.add(&format!(
        "//- /project/.guild/skills/s/SKILL.md\n---\nname: s\ndescription: Judged.\n{lines}---\nDo it.\n"
    ));
    let world = prepare(world);
    let snapshot = world.discover();
    let entry = snapshot.skills.iter().find(|entry| entry.skill.name == "s").expect("the skill loads");
    assert_eq!(entry.is_eligible(), entry.unmet.is_empty());
    expect.assert_eq(&entry.unmet.join("\n"));
}

#[track_caller]
fn check(frontmatter: &str, expect: Expect) {
    check_on(frontmatter, |world| world, expect);
}

fn bare(world: World) -> World {
    world
}

#[test]
fn a_skill_that_asks_for_nothing_is_eligible() {
    check("", expect![[""]]);
}

#[test]
fn systems_go_by_many_names() {
    for (asked, is_met) in [
        ("linux", [true, false, false]),
        ("Linux", [true, false, false]),
        ("darwin", [false, true, false]),
        ("macos", [false, true, false]),
        ("mac", [false, true, false]),
        ("OSX", [false, true, false]),
        ("windows", [false, false, true]),
        ("win", [false, false, true]),
        ("win32", [false, false, true]),
        ("[linux, darwin]", [true, true, false]),
        ("plan9", [false, false, false]),
    ] {
        for (os, is_met) in ["linux", "macos", "windows"].into_iter().zip(is_met) {
            let mut world = World::new(&format!(
                "//- /project/.guild/skills/s/SKILL.md\n---\nname: s\ndescription: D.\nplatforms: {asked}\n---\nDo it.\n"
            ));
            world.machine.os = os.to_owned();
            let snapshot = world.discover();
            let entry = snapshot.skills.iter().find(|entry| entry.skill.name == "s").unwrap();
            assert_eq!(entry.is_eligible(), is_met, "{asked} on {os}: {:?}", entry.unmet);
        }
    }
}

const EVERYTHING: &str = "
    metadata:
      openclaw:
        os: [darwin, windows]
        requires:
          bins: [absent, missing]
          anyBins: [neither, nor]
          env: [UNSET, EMPTY]
          config: [browser.enabled]
    eligibility:
      binaries: [gone]
      env: [NOT_SET]
    required_credential_files: [.netrc]
    requires_tools: [hammer]
";

#[test]
fn every_reason_is_told_and_not_only_the_first() {
    let with_tools = |mut world: World| {
        world.machine.tools = Some(["saw".to_owned()].into());
        world.with_variable("EMPTY", "")
    };
    check_on(
        EVERYTHING,
        with_tools,
        expect![[r#"
        it is for darwin, windows, and this is linux
        the program `absent` is not found
        the program `missing` is not found
        the program `gone` is not found
        none of the programs `neither`, `nor` is found
        the environment variable `UNSET` is not set
        the environment variable `EMPTY` is not set
        the environment variable `NOT_SET` is not set
        the configuration value `browser.enabled` is not set
        the credential file `.netrc` is not found
        the tool `hammer` is not found"#]],
    );
}

#[test]
fn always_is_stronger_than_everything_else() {
    let always = format!("{EVERYTHING}\n").replace("openclaw:\n", "openclaw:\n        always: true\n");
    check_on(&always, bare, expect![[""]]);
}

#[test]
fn always_must_be_true_to_count() {
    check(
        "metadata: {openclaw: {always: \"false\", os: [windows]}}",
        expect!["it is for windows, and this is linux"],
    );
}

#[test]
fn programs_are_looked_for_on_the_path_and_must_be_executable() {
    let install = |world: World| {
        world.add("//- /bin/there mode:755\n//- /bin/plain mode:644\n//- /bin/folder/\n//- /elsewhere/other mode:755\n");
        world
    };
    check_on(
        "metadata: {openclaw: {requires: {bins: [there, plain, folder, other]}}}",
        install,
        expect![[r#"
            the program `plain` is not found
            the program `folder` is not found
            the program `other` is not found"#]],
    );
    check_on("metadata: {openclaw: {requires: {anyBins: [nope, there]}}}", install, expect![[""]]);
    check_on(
        "prerequisites: {commands: [there, absent]}",
        install,
        expect!["the program `absent` is not found"],
    );
}

/// Judges a script that runs in this role, on a machine with a role `small` in a directory and two whose roots are images.
#[track_caller]
fn check_script(role: &str, programs: &str, expect: Expect) {
    let in_roots = |mut world: World| {
        world.add(
            "
            //- /home/.config/guild/config.toml
            sandbox.roles.small.directory = \"small\"
            sandbox.roles.image.image = \"here:1\"
            sandbox.roles.absent.image = \"not-here:1\"
            //- /home/.config/guild/small/usr/bin/tool mode:755
            //- /home/.config/guild/small/usr/bin/plain
            //- /home/.config/guild/small/etc/
            //- /bin/mine mode:755
            ",
        );
        let root = world.path("/home/.config/guild/small");
        let mine = world.path("/bin/mine");
        for (link, target) in [
            ("bin", Path::new("usr/bin")),
            ("etc/editor", Path::new("/usr/../bin/tool")),
            ("usr/bin/editor", Path::new("/etc/editor")),
            ("usr/bin/outside", &mine),
            ("usr/bin/upwards", Path::new("../../../../../../bin/mine")),
            ("usr/bin/round", Path::new("round")),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        world.machine.image_roots = [("image".to_owned(), root)].into();
        world
    };
    let asked = format!(
        "script: run.sh\nsandbox_image_role: {role}\nmetadata: {{openclaw: {{requires: {{bins: [{programs}]}}}}}}"
    );
    check_on(&asked, in_roots, expect);
}

#[test]
fn programs_of_a_script_are_looked_for_in_the_root_that_it_runs_in() {
    check_script(
        "small",
        "tool, editor, plain, mine, outside, upwards, round",
        expect![[r#"
            the program `plain` is not found in the image role `small`
            the program `mine` is not found in the image role `small`
            the program `outside` is not found in the image role `small`
            the program `upwards` is not found in the image role `small`
            the program `round` is not found in the image role `small`"#]],
    );
    check_script("image", "tool, mine", expect!["the program `mine` is not found in the image role `image`"]);
    check_script(
        "default",
        "sh, mine",
        expect!["the program `mine` is not found in the image role `default`"],
    );
}

#[test]
fn programs_in_a_root_that_nobody_can_look_into_are_not_measured() {
    check_script("absent", "mine", expect![[""]]);
    check_script("nobody-knows-it", "mine", expect![[""]]);
}

#[test]
fn a_program_cannot_be_a_path() {
    let install = |world: World| {
        world.add("//- /bin/there mode:755\n//- /home/secret mode:755\n");
        world
    };
    check_on(
        "metadata: {openclaw: {requires: {bins: [../home/secret, /bin/sh, ./there]}}}",
        install,
        expect![[r#"
            the program `../home/secret` is not found
            the program `/bin/sh` is not found
            the program `./there` is not found"#]],
    );
}

#[test]
fn a_relative_directory_on_the_path_counts_for_nothing() {
    check_on(
        "metadata: {openclaw: {requires: {bins: [Cargo.toml, src]}}}",
        |world| world.with_variable("PATH", ".:src"),
        expect![[r#"
            the program `Cargo.toml` is not found
            the program `src` is not found"#]],
    );
}

#[test]
fn a_variable_counts_if_it_is_set_and_not_empty_or_stored_as_a_credential() {
    let prepare = |mut world: World| {
        world.machine.credentials.insert("STORED".to_owned());
        world.with_variable("SET", "x").with_variable("EMPTY", "")
    };
    check_on(
        "metadata: {openclaw: {requires: {env: [SET, EMPTY, STORED, UNSET]}}}",
        prepare,
        expect![[r#"
        the environment variable `EMPTY` is not set
        the environment variable `UNSET` is not set"#]],
    );
    check_on(
        "required_environment_variables: [SET, {name: UNSET}, {name: MAYBE, optional: true}]",
        prepare,
        expect!["the environment variable `UNSET` is not set"],
    );
    check_on(
        "prerequisites: {env_vars: [UNSET]}",
        prepare,
        expect!["the environment variable `UNSET` is not set"],
    );
}

#[test]
fn a_skills_own_configuration_may_fill_its_main_variable() {
    let configure = |world: World| {
        world.add("//- /home/.config/guild/config.toml\n[skills.entries.s.config]\napiKey = 'x'\n[skills.entries.other.config]\napiKey = 'x'\n");
        world
    };
    check_on(
        "metadata: {openclaw: {primaryEnv: KEY, requires: {env: [KEY, OTHER]}}}",
        configure,
        expect!["the environment variable `OTHER` is not set"],
    );
    check_on(
        "metadata: {openclaw: {primaryEnv: KEY, skillKey: other, requires: {env: [KEY]}}}",
        configure,
        expect![[""]],
    );
    check_on(
        "metadata: {openclaw: {primaryEnv: KEY, skillKey: third, requires: {env: [KEY]}}}",
        configure,
        expect!["the environment variable `KEY` is not set"],
    );
}

#[test]
fn configuration_counts_by_whether_it_says_yes() {
    let configure = |world: World| {
        world.add(
            "
            //- /home/.config/guild/config.toml
            [config]
            yes = true
            no = false
            zero = 0
            one = 1
            text = 'x'
            nothing = ''
            list = []
            full = [0]
            deep = { er = true }
            [skills.entries.other]
            enabled = true
            ",
        );
        world
    };
    check_on(
        "metadata: {openclaw: {requires: {config: [yes, one, text, full, deep, deep.er, skills.entries.other.enabled]}}}",
        configure,
        expect![[""]],
    );
    check_on(
        "metadata: {openclaw: {requires: {config: [no, zero, nothing, list, deep.missing, missing.deep, yes.er]}}}",
        configure,
        expect![[r#"
            the configuration value `no` is not set
            the configuration value `zero` is not set
            the configuration value `nothing` is not set
            the configuration value `list` is not set
            the configuration value `deep.missing` is not set
            the configuration value `missing.deep` is not set
            the configuration value `yes.er` is not set"#]],
    );
}

#[test]
fn a_project_cannot_say_yes_to_its_own_skills() {
    let configure = |world: World| {
        world.add("//- /project/guild.toml\n[config]\nyes = true\n");
        world
    };
    check_on(
        "metadata: {openclaw: {requires: {config: [yes]}}}",
        configure,
        expect!["the configuration value `yes` is not set"],
    );
}

#[test]
fn credential_files_lie_in_the_home_directory() {
    let prepare = |world: World| {
        world.add("//- /home/.netrc\n//- /home/.aws/credentials\n//- /etc/secret\n//- /home/.ssh/\n");
        world
    };
    check_on(
        "required_credential_files: [.netrc, ~/.aws/credentials, ../etc/secret, /etc/passwd, .ssh, .missing]",
        prepare,
        expect![[r#"
            the credential file `../etc/secret` is not found
            the credential file `/etc/passwd` is not found
            the credential file `.ssh` is not found
            the credential file `.missing` is not found"#]],
    );
}

#[test]
fn tools_are_measured_only_where_somebody_says_which_there_are() {
    let frontmatter = "requires_tools: [hammer, saw]\nmetadata: {hermes: {requires_tools: [drill]}}";
    check(frontmatter, expect![[""]]);
    let with_tools = |mut world: World| {
        world.machine.tools = Some(["saw".to_owned()].into());
        world
    };
    check_on(
        frontmatter,
        with_tools,
        expect![[r#"
        the tool `drill` is not found
        the tool `hammer` is not found"#]],
    );
}

#[test]
fn former_names_of_a_vendors_block_count_too() {
    for vendor in ["openclaw", "clawdbot", "moltbot", "clawdis"] {
        let frontmatter = format!("metadata: {{{vendor}: {{os: [windows]}}}}");
        check(&frontmatter, expect!["it is for windows, and this is linux"]);
    }
}

#[test]
fn a_gate_that_cannot_be_read_keeps_the_skill_out() {
    let world = World::new(
        "
        //- /project/.guild/skills/torn/SKILL.md
        ---
        name: torn
        description: Its gate is no JSON.
        metadata: '{openclaw: {always: tru'
        ---
        Do it.
        //- /project/.guild/skills/text/SKILL.md
        ---
        name: text
        description: Its gate is text.
        metadata: {openclaw: yes please}
        ---
        Do it.
        ",
    );
    world.check(expect![[r#"
        broken: text (project) /project/.guild/skills/text/SKILL.md
            error[vendor_metadata_invalid] SKILL.md:4
        broken: torn (project) /project/.guild/skills/torn/SKILL.md
            error[vendor_metadata_invalid] SKILL.md:4
    "#]]);
}

#[test]
fn a_skill_that_is_ineligible_off_hidden_or_undescribed_is_not_offered_to_models() {
    let world = World::new(
        "
        //- /home/.config/guild/config.toml
        skills.disabled = ['off']
        builtins = false
        //- /project/.guild/skills/good/SKILL.md
        @good
        //- /project/.guild/skills/off/SKILL.md
        @off
        //- /project/.guild/skills/foreign/SKILL.md
        ---
        name: foreign
        description: For another system.
        platforms: windows
        ---
        Do it.
        //- /project/.guild/skills/hidden/SKILL.md
        ---
        name: hidden
        description: Only for people.
        disable-model-invocation: true
        ---
        Do it.
        //- /project/.guild/skills/silent/SKILL.md
        ---
        name: silent
        ---
        Do it.
        ",
    );
    let snapshot = world.discover();
    assert_eq!(snapshot.skills.len(), 5);
    let offered: Vec<&str> = snapshot
        .skills
        .iter()
        .filter(|entry| entry.is_offered())
        .map(|entry| entry.skill.name.as_str())
        .collect();
    assert_eq!(offered, ["good"]);
}
