//! What in a root is a skill, what is a group of skills, and what is neither.

use crate::world::{World, check};
use expect_test::expect;

#[test]
fn a_directory_with_a_skill_file_is_a_skill() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/alpha/scripts/run.sh
        true
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn other_spellings_of_the_file_are_read_and_told() {
    check(
        "
        //- /project/.guild/skills/lower/skill.md
        @lower
        //- /project/.guild/skills/mixed/Skill.MD
        @mixed
        //- /project/.guild/skills/plural/SKILLS.md
        @plural
        //- /project/.guild/skills/other/instructions.md
        @other
        ",
        expect![[r#"
            lower (project) /project/.guild/skills/lower/skill.md
                warning[odd_file_name] skill.md:1
            mixed (project) /project/.guild/skills/mixed/Skill.MD
                warning[odd_file_name] Skill.MD:1
            plural (project) /project/.guild/skills/plural/SKILLS.md
                warning[odd_file_name] SKILLS.md:1
        "#]],
    );
}

#[test]
fn the_exact_spelling_wins_over_others_beside_it() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        @exact
        //- /project/.guild/skills/alpha/skill.md
        @odd
        ",
        expect![[r#"
            exact (project) /project/.guild/skills/alpha/SKILL.md
                info[name_mismatch] SKILL.md:2
        "#]],
    );
}

#[test]
fn a_directory_skill_without_frontmatter_does_not_load() {
    check(
        "
        //- /project/.guild/skills/bare/SKILL.md
        # Just text
        //- /project/.guild/skills/open/SKILL.md
        ---
        name: open
        //- /project/.guild/skills/empty/SKILL.md
        //- /project/.guild/skills/good/SKILL.md
        @good
        ",
        expect![[r#"
            good (project) /project/.guild/skills/good/SKILL.md
            broken: bare (project) /project/.guild/skills/bare/SKILL.md
                error[missing_frontmatter] SKILL.md:1
            broken: empty (project) /project/.guild/skills/empty/SKILL.md
                error[missing_frontmatter] SKILL.md:1
            broken: open (project) /project/.guild/skills/open/SKILL.md
                error[unclosed_frontmatter] SKILL.md:1
        "#]],
    );
}

#[test]
fn a_skill_without_a_name_or_with_an_unusable_one_goes_by_its_directory() {
    check(
        "
        //- /project/.guild/skills/nameless/SKILL.md
        ---
        description: Has no name.
        ---
        Do it.
        //- /project/.guild/skills/stem/SKILL.md
        @Not/a/name
        ",
        expect![[r#"
            nameless (project) /project/.guild/skills/nameless/SKILL.md
                warning[name_missing] SKILL.md:2
            stem (project) /project/.guild/skills/stem/SKILL.md
                warning[name_invalid] SKILL.md:2
        "#]],
    );
}

#[test]
fn a_skill_without_a_description_loads() {
    check(
        "
        //- /project/.guild/skills/silent/SKILL.md
        ---
        name: silent
        ---
        Do it.
        ",
        expect![[r#"
            silent (project) /project/.guild/skills/silent/SKILL.md
                warning[description_missing] SKILL.md:2
        "#]],
    );
}

#[test]
fn a_flat_file_with_frontmatter_is_a_skill() {
    check(
        "
        //- /project/.guild/skills/flat.md
        @flat
        //- /project/.guild/skills/loud.MD
        @loud
        //- /project/.guild/skills/nameless.md
        ---
        description: Has no name.
        ---
        Do it.
        //- /project/.guild/skills/notes.txt
        @notes
        ",
        expect![[r#"
            flat (project) /project/.guild/skills/flat.md
            loud (project) /project/.guild/skills/loud.MD
            nameless (project) /project/.guild/skills/nameless.md
                warning[name_missing] nameless.md:2
        "#]],
    );
}

#[test]
fn a_flat_file_that_is_no_skill_is_no_error() {
    check(
        "
        //- /project/.guild/skills/README.md
        # Skills of this project
        //- /project/.guild/skills/page.md
        ---
        title: A page of the manual
        layout: default
        ---
        Text.
        //- /project/.guild/skills/empty.md
        //- /project/.guild/skills/binary.md bytes:2d2d2d0a00ff
        ",
        expect![[""]],
    );
}

#[test]
fn a_flat_file_that_means_to_be_a_skill_is_told_when_it_is_none() {
    check(
        "
        //- /project/.guild/skills/open.md
        ---
        name: open
        description: Never closed.
        //- /project/.guild/skills/anchored.md
        ---
        name: &anchor anchored
        description: Uses what is refused.
        ---
        Do it.
        ",
        expect![[r#"
            broken: anchored (project) /project/.guild/skills/anchored.md
                error[yaml_refused] anchored.md:2
            broken: open (project) /project/.guild/skills/open.md
                error[unclosed_frontmatter] open.md:1
        "#]],
    );
}

#[test]
fn a_file_with_spaces_in_its_name_goes_by_a_usable_one() {
    check(
        "
        //- /project/.guild/skills/bad name.md
        ---
        description: Its file has a space.
        ---
        Do it.
        ",
        expect![[r#"
            bad-name (project) /project/.guild/skills/bad name.md
                warning[name_missing] bad name.md:2
        "#]],
    );
}

#[test]
fn flat_files_count_at_the_top_of_a_root_only() {
    check(
        "
        //- /project/.guild/skills/group/inner.md
        @inner
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/alpha/reference.md
        @reference
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn a_directory_comes_before_a_flat_file_of_its_name() {
    check(
        "
        //- /project/.guild/skills/twin.md
        @twin As a file.
        //- /project/.guild/skills/twin/SKILL.md
        @twin As a directory.
        ",
        expect![[r#"
            twin (project) /project/.guild/skills/twin/SKILL.md
            collision twin: project /project/.guild/skills/twin/SKILL.md over project /project/.guild/skills/twin.md
        "#]],
    );
}

#[test]
fn skills_may_be_grouped() {
    check(
        "
        //- /project/.guild/skills/web/react/SKILL.md
        @react
        //- /project/.guild/skills/web/server/axum/SKILL.md
        @axum
        //- /project/.guild/skills/README.md
        # Groups
        ",
        expect![[r#"
            axum (project) /project/.guild/skills/web/server/axum/SKILL.md
            react (project) /project/.guild/skills/web/react/SKILL.md
        "#]],
    );
}

#[test]
fn what_lies_inside_a_skill_is_no_skill_of_its_own() {
    check(
        "
        //- /project/.guild/skills/outer/SKILL.md
        @outer
        //- /project/.guild/skills/outer/examples/inner/SKILL.md
        @inner
        ",
        expect![[r#"
            outer (project) /project/.guild/skills/outer/SKILL.md
        "#]],
    );
}

#[test]
fn groups_are_searched_to_a_bounded_depth() {
    check(
        "
        //- /project/.guild/skills/1/2/3/4/5/six/SKILL.md
        @six
        //- /project/.guild/skills/1/2/3/4/5/6/seven/SKILL.md
        @seven
        ",
        expect![[r#"
            six (project) /project/.guild/skills/1/2/3/4/5/six/SKILL.md
            problem info[scan_limit] /project/.guild/skills:1
        "#]],
    );
}

#[test]
fn the_depth_can_be_configured() {
    check(
        "
        //- /home/.config/guild/config.toml
        limits.max_depth = 2
        //- /project/.guild/skills/one/SKILL.md
        @one
        //- /project/.guild/skills/1/two/SKILL.md
        @two
        //- /project/.guild/skills/1/2/three/SKILL.md
        @three
        ",
        expect![[r#"
            one (project) /project/.guild/skills/one/SKILL.md
            two (project) /project/.guild/skills/1/two/SKILL.md
            problem info[scan_limit] /project/.guild/skills:1
        "#]],
    );
}

#[test]
fn hidden_directories_are_groups_only_where_installers_make_them() {
    check(
        "
        //- /home/.codex/skills/.system/plan/SKILL.md
        @plan
        //- /home/.codex/skills/.curated/review-notes/SKILL.md
        @review-notes
        //- /home/.codex/skills/.experimental/try/SKILL.md
        @try
        //- /home/.codex/skills/.git/hook/SKILL.md
        @hook
        //- /home/.codex/skills/.hidden/secret/SKILL.md
        @secret
        //- /home/.codex/skills/.flat.md
        @flat
        ",
        expect![[r#"
            plan (user) /home/.codex/skills/.system/plan/SKILL.md
            review-notes (user) /home/.codex/skills/.curated/review-notes/SKILL.md
            try (user) /home/.codex/skills/.experimental/try/SKILL.md
        "#]],
    );
}

#[test]
fn directories_of_tools_are_not_searched() {
    check(
        "
        //- /project/skills/node_modules/pkg/SKILL.md
        @pkg
        //- /project/skills/__pycache__/cached/SKILL.md
        @cached
        ",
        expect![[""]],
    );
}

#[test]
fn a_skill_may_be_called_as_programs_call_their_output() {
    let files = "
        //- /project/.claude/skills/build/SKILL.md
        @build
        //- /project/.claude/skills/build/dist/SKILL.md
        @inside
        //- /project/skills/dist/SKILL.md
        @dist
        //- /project/skills/build/copied/SKILL.md
        @copied
        //- /project/skills/group/build/SKILL.md
        @copied-too
        ";
    let expect = expect![[r#"
        build (project) /project/.claude/skills/build/SKILL.md
        dist (project) /project/skills/dist/SKILL.md
    "#]];
    check(files, expect);
    let world = World::new(files).with_cache();
    world.age();
    let first = world.found();
    assert_eq!(world.found(), first, "the index knows it too");
}

#[test]
fn a_configured_path_may_be_one_skill() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["~/work/alpha"]
        extra_paths = ["~/work/beta"]
        //- /home/work/alpha/SKILL.md
        @alpha
        //- /home/work/alpha/examples/inner/SKILL.md
        @inner
        //- /home/work/beta/SKILL.md
        @beta
        "#,
        expect![[r#"
            alpha (custom) /home/work/alpha/SKILL.md
            beta (extra) /home/work/beta/SKILL.md
        "#]],
    );
}

#[test]
fn a_stray_skill_file_in_an_agents_directory_does_not_hide_the_others() {
    check(
        "
        //- /home/.claude/skills/SKILL.md
        @stray
        //- /home/.claude/skills/alpha/SKILL.md
        @alpha
        ",
        expect![[r#"
            alpha (user) /home/.claude/skills/alpha/SKILL.md
            stray (user) /home/.claude/skills/SKILL.md
                info[name_mismatch] SKILL.md:2
        "#]],
    );
}

#[test]
fn a_directory_named_like_a_skills_file_is_a_group() {
    check(
        "
        //- /project/.guild/skills/odd/SKILL.md/inner/SKILL.md
        @inner
        ",
        expect![[r#"
            inner (project) /project/.guild/skills/odd/SKILL.md/inner/SKILL.md
        "#]],
    );
}

#[test]
fn a_pipe_is_not_waited_for() {
    check(
        "
        //- /project/.guild/skills/pipe/SKILL.md kind:pipe
        //- /project/.guild/skills/flat.md kind:pipe
        //- /project/.guild/skills/sidecar/SKILL.md
        @sidecar
        //- /project/.guild/skills/sidecar/agents/openai.yaml kind:pipe
        //- /project/.guild/plugins/tools/.claude-plugin/plugin.json kind:pipe
        //- /project/.guild/skills/good/SKILL.md
        @good
        ",
        expect![[r#"
            good (project) /project/.guild/skills/good/SKILL.md
            sidecar (project) /project/.guild/skills/sidecar/SKILL.md
            broken: pipe (project) /project/.guild/skills/pipe/SKILL.md
                error[unreadable_file] SKILL.md:1
            problem error[plugin_invalid] /project/.guild/plugins/tools/.claude-plugin/plugin.json:1
        "#]],
    );
}

#[test]
fn pipes_inside_two_equal_skills_are_not_waited_for() {
    check(
        "
        //- /project/.guild/skills/twin/SKILL.md
        @twin
        //- /project/.guild/skills/twin/queue kind:pipe
        //- /home/.guild/skills/twin/SKILL.md
        @twin
        //- /home/.guild/skills/twin/queue kind:pipe
        ",
        expect![[r#"
            twin (project) /project/.guild/skills/twin/SKILL.md
            collision twin: project /project/.guild/skills/twin/SKILL.md over user /home/.guild/skills/twin/SKILL.md
        "#]],
    );
}

#[test]
fn a_file_that_is_too_large_does_not_load() {
    let world = World::new(
        "
        //- /home/.config/guild/config.toml
        limits.max_file_bytes = 2048
        //- /project/.guild/skills/small/SKILL.md
        @small
        ",
    );
    let body = "x".repeat(2048);
    world.add(&format!("//- /project/.guild/skills/huge/SKILL.md\n@huge\n{body}\n"));
    world.add(&format!("//- /project/.guild/skills/flat.md\n@flat\n{body}\n"));
    world.check(expect![[r#"
        small (project) /project/.guild/skills/small/SKILL.md
        broken: huge (project) /project/.guild/skills/huge/SKILL.md
            error[file_too_large] SKILL.md:1
    "#]]);
}

#[test]
fn text_that_is_no_utf8_loads_and_binary_does_not() {
    let frontmatter = |name: &str| -> String {
        format!("---\nname: {name}\ndescription: Bytes.\n---\n")
            .bytes()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    };
    let world = World::new("//- /project/.guild/skills/good/SKILL.md\n@good\n");
    world.add(&format!("//- /project/.guild/skills/latin/SKILL.md bytes:{}e90a\n", frontmatter("latin")));
    world.add(&format!("//- /project/.guild/skills/binary/SKILL.md bytes:{}000a\n", frontmatter("binary")));
    world.check(expect![[r#"
        good (project) /project/.guild/skills/good/SKILL.md
        latin (project) /project/.guild/skills/latin/SKILL.md
            warning[invalid_utf8] SKILL.md:5
        broken: binary (project) /project/.guild/skills/binary/SKILL.md
            error[binary_file] SKILL.md:5
    "#]]);
}

#[test]
fn a_script_that_is_not_there_is_told() {
    check(
        "
        //- /project/.guild/skills/gone/SKILL.md
        ---
        name: gone
        description: Its script is missing.
        script: scripts/run.sh
        ---
        Do it.
        //- /project/.guild/skills/there/SKILL.md
        ---
        name: there
        description: Its script is there.
        script: scripts/run.sh
        ---
        Do it.
        //- /project/.guild/skills/there/scripts/run.sh
        true
        ",
        expect![[r#"
            gone (project) /project/.guild/skills/gone/SKILL.md
                warning[script_missing] SKILL.md:1
            there (project) /project/.guild/skills/there/SKILL.md
        "#]],
    );
}

#[test]
fn a_sidecar_hides_a_skill_from_models() {
    let world = World::new(
        "
        //- /project/.guild/skills/hidden/SKILL.md
        @hidden
        //- /project/.guild/skills/hidden/agents/openai.yaml
        policy:
          allow_implicit_invocation: false
        //- /project/.guild/skills/torn/SKILL.md
        @torn
        //- /project/.guild/skills/torn/agents/openai.yaml
        - no mapping
        ",
    );
    world.check(expect![[r#"
        hidden (project) /project/.guild/skills/hidden/SKILL.md
        torn (project) /project/.guild/skills/torn/SKILL.md
            warning[sidecar_invalid] agents/openai.yaml:1
    "#]]);
    let offered = |name: &str| {
        let snapshot = world.discover();
        let entry = snapshot.skills.iter().find(|entry| entry.skill.name == name).unwrap();
        entry.is_offered()
    };
    assert!(!offered("hidden") && offered("torn"));
}

#[test]
fn a_root_with_too_many_entries_is_searched_as_far_as_the_limit_goes() {
    check(
        "
        //- /home/.config/guild/config.toml
        limits.max_entries = 4
        //- /project/.guild/skills/a/SKILL.md
        @a
        //- /project/.guild/skills/b/SKILL.md
        @b
        //- /project/.guild/skills/c/SKILL.md
        @c
        //- /project/.guild/skills/d/SKILL.md
        @d
        //- /project/.guild/skills/e/SKILL.md
        @e
        //- /home/.guild/skills/small/SKILL.md
        @small
        ",
        expect![[r#"
            a (project) /project/.guild/skills/a/SKILL.md
            b (project) /project/.guild/skills/b/SKILL.md
            c (project) /project/.guild/skills/c/SKILL.md
            d (project) /project/.guild/skills/d/SKILL.md
            small (user) /home/.guild/skills/small/SKILL.md
            problem warning[scan_limit] /project/.guild/skills:1
        "#]],
    );
}

#[test]
fn a_skill_with_too_many_levels_is_told() {
    let deep = "d/".repeat(15);
    let world = World::new("//- /project/.guild/skills/deep/SKILL.md\n@deep\n");
    world.add(&format!("//- /project/.guild/skills/deep/{deep}file\n"));
    world.check(expect![[r#"
        deep (project) /project/.guild/skills/deep/SKILL.md
            warning[scan_limit] d/d/d/d/d/d/d/d/d/d/d/d/d:1
    "#]]);
}

#[test]
fn names_that_are_no_utf8_do_no_harm() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new("//- /project/.guild/skills/good/SKILL.md\n@good\n");
    let odd = world.path("/project/.guild/skills").join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(
        odd.join("SKILL.md"),
        "---\nname: odd\ndescription: Its directory is no text.\n---\nDo it.\n",
    )
    .unwrap();
    let snapshot = world.discover();
    let found: Vec<&str> = snapshot.skills.iter().map(|entry| entry.skill.name.as_str()).collect();
    assert!(found.contains(&"good"));
    for entry in snapshot.skills.iter().filter(|entry| entry.skill.name == "odd") {
        assert!(guild_catalog::bytes(entry).is_ok(), "what is listed can be read");
    }
}

#[test]
fn a_discovery_finds_what_came_after_the_last_one() {
    let world = World::new("").with_cache();
    assert_eq!(world.found(), "");
    world.add("//- /project/.guild/skills/new/SKILL.md\n@new\n");
    world.check(expect![[r#"
        new (project) /project/.guild/skills/new/SKILL.md
    "#]]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_flat_file_whose_name_is_no_text_is_told_and_left_out() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new("//- /project/.guild/skills/good.md\n@good\n");
    let skills = world.path("/project/.guild/skills");
    std::fs::copy(skills.join("good.md"), skills.join(OsStr::from_bytes(b"bad\xff.md"))).unwrap();
    world.check(expect![[r#"
        good (project) /project/.guild/skills/good.md
        problem warning[name_invalid] /project/.guild/skills/bad�.md:1
    "#]]);
}
