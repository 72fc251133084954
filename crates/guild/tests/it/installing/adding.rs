//! What can be added, from where, and what is there afterwards.

use super::{check, done, tree, world, world_of_skills};
use crate::hostile::{append, archive};
use expect_test::expect;
use std::fs;
use tar::EntryType;

#[test]
fn a_repository_of_the_forge_with_a_choice_a_ref_and_a_path() {
    let (env, _repository) = world_of_skills();
    check(
        &env,
        "
        guild add acme/skills --list
        guild add acme/skills
        guild add acme/skills@pdf
        guild add acme/skills/skills/docx@v1
        guild add acme/skills --skill acme
        guild list
        guild plugins
        ",
        &expect![[r#"
            $ guild add acme/skills --list
            NAME         KIND    PATH                        DESCRIPTION
            acme         plugin  plugins/acme                Ships
            acme/deploy  skill   plugins/acme/skills/deploy  Deploys with the pipeline of Acme
            broken       skill   skills/broken               does not load
            docx         skill   skills/docx                 Reads Word files
            pdf          skill   skills/pdf                  Reads PDF files and fills in their forms
            [stderr]
            4 skills, 1 plugin
            $ guild add acme/skills
            NAME         KIND    PATH                        DESCRIPTION
            acme         plugin  plugins/acme                Ships
            acme/deploy  skill   plugins/acme/skills/deploy  Deploys with the pipeline of Acme
            broken       skill   skills/broken               does not load
            docx         skill   skills/docx                 Reads Word files
            pdf          skill   skills/pdf                  Reads PDF files and fills in their forms
            [stderr]
            error[choice_required]: there are 4 skills and 1 plugin in it: choose with `--skill NAME,NAME`, or take `--all`; `--list` shows them
            [exit 2]
            $ guild add acme/skills@pdf
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed
            $ guild add acme/skills/skills/docx@v1
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed
            $ guild add acme/skills --skill acme
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild list
            NAME         KIND    SOURCE   STATE  DESCRIPTION
            acme/deploy  inline  plugin   off    Deploys with the pipeline of Acme
            docx         inline  project  ready  Reads Word files
            pdf          inline  project  ready  Reads PDF files and fills in their forms
            [stderr]
            3 skills
            $ guild plugins
            NAME  VERSION  SOURCE   SKILLS  STATE  DESCRIPTION
            acme  1.0.0    project  1       off    Ships
            [stderr]
            1 plugin
        "#]],
    );
    expect![[r#"
        .guild/plugins/acme/.claude-plugin/plugin.json
        .guild/plugins/acme/skills/deploy/SKILL.md
        .guild/skills/docx/SKILL.md
        .guild/skills/pdf/SKILL.md
        .guild/skills/pdf/scripts/read.sh*
        guild.lock"#]]
    .assert_eq(&tree(&env, "project"));
    expect![[r##"
        # What Guildhall installed here, byte by byte. Commit it; `guild sync` installs it elsewhere, `guild verify` compares.
        version = 1

        [[skill]]
        name = "docx"
        source = "https://github.com/acme/skills"
        source_type = "git"
        path = "skills/docx"
        ref = "v1"
        resolved = "cacdd2bb6a9fc875325e63177984ebaf7c3a1ec5"
        digest = "sha256:a9d64729e87e047acf97121316cd846647d0bd1c20945089383e8cda41547b3f"
        files = [
          { path = "SKILL.md", size = 105, digest = "sha256:355e25cb996c6a78e8efe25cd626b48261c39847cfa654e812bcef7e56425382" },
        ]

        [[skill]]
        name = "pdf"
        source = "https://github.com/acme/skills"
        source_type = "git"
        path = "skills/pdf"
        resolved = "cacdd2bb6a9fc875325e63177984ebaf7c3a1ec5"
        digest = "sha256:88b868391df3dc1ccfa13ae21ac02326d048c49e099bb0bdb73baa8122dd917c"
        files = [
          { path = "SKILL.md", size = 122, digest = "sha256:61c0ada6b615a79977a5afad5c9fd142b6526fb765858957f5ba520aa35a300a" },
          { path = "scripts/read.sh", size = 20, digest = "sha256:1dcf54031ee3db41c22de64b759ce5e7f21f5cf0e80255584358b43f945e5bec", executable = true },
        ]

        [[plugin]]
        name = "acme"
        source = "https://github.com/acme/skills"
        source_type = "git"
        path = "plugins/acme"
        resolved = "cacdd2bb6a9fc875325e63177984ebaf7c3a1ec5"
        digest = "sha256:e3301fc4a46fcd0a5786cab6ad3cf0b5ff72e046d8dc690657698c666e4403d4"
        files = [
          { path = ".claude-plugin/plugin.json", size = 61, digest = "sha256:f3023cadb7401864c369fda128f206e6949547ccf54f55f8a5142d80944647d4" },
          { path = "skills/deploy/SKILL.md", size = 117, digest = "sha256:0ef0ec7c5daa5208d3e161b187badb6bb3f9af6a8ced4bd17962b7704f1b6d2c" },
        ]
    "##]].assert_eq(&fs::read_to_string(env.project().join("guild.lock")).unwrap());
}

#[test]
fn any_repository_into_the_persons_own_installation() {
    let (env, _repository) = world_of_skills();
    check(
        &env,
        "
        guild add git@git.example:skills.git --all --user
        guild add https://git.example/skills.git#v1@pdf --user
        guild add https://git.example/skills.git --skill deploy,pdf --replace --user
        guild add https://git.example/skills.git --skill deploy --user
        guild list --source user
        ",
        &expect![[r#"
            $ guild add git@git.example:skills.git --all --user
            installed skill docx (git@git.example:skills.git at cacdd2bb6a9f)
            installed skill pdf (git@git.example:skills.git at cacdd2bb6a9f)
            installed plugin acme (git@git.example:skills.git at cacdd2bb6a9f)
            [stderr]
            3 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild add https://git.example/skills.git#v1@pdf --user
            [stderr]
            error[already_exists]: skill `pdf` is installed already, from git@git.example:skills.git; `guild update pdf` brings it up to date, `--replace` takes this one
            [exit 1]
            $ guild add https://git.example/skills.git --skill deploy,pdf --replace --user
            installed skill deploy (https://git.example/skills.git at cacdd2bb6a9f)
            updated skill pdf (https://git.example/skills.git at cacdd2bb6a9f)
            [stderr]
            1 installed, 1 replaced
            $ guild add https://git.example/skills.git --skill deploy --user
            unchanged skill deploy (https://git.example/skills.git at cacdd2bb6a9f)
            [stderr]
            1 as it was
            $ guild list --source user
            NAME    KIND    SOURCE  STATE  DESCRIPTION
            deploy  inline  user    ready  Deploys with the pipeline of Acme
            docx    inline  user    ready  Reads Word files
            pdf     inline  user    ready  Reads PDF files and fills in their forms
            [stderr]
            3 skills
        "#]],
    );
    expect![[r#"
        guild.lock
        plugins/acme/.claude-plugin/plugin.json
        plugins/acme/skills/deploy/SKILL.md
        skills/deploy/SKILL.md
        skills/docx/SKILL.md
        skills/pdf/SKILL.md
        skills/pdf/scripts/read.sh*"#]]
    .assert_eq(&tree(&env, "home/.guild"));
}

#[test]
fn a_directory_is_copied_or_linked_to() {
    let env = world();
    env.write("//- /project/own/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down all of it, in the order in which it was said.\n//- /project/own/notes/.git/config\nnot a part of it\n");
    check(
        &env,
        "
        guild add ./own/notes
        guild add ./own/notes
        guild add own/notes
        guild add ./own/notes --user --link
        guild add ./nothing
        ",
        &expect![[r#"
            $ guild add ./own/notes
            installed skill notes (./own/notes)
            [stderr]
            1 installed
            $ guild add ./own/notes
            unchanged skill notes (./own/notes)
            [stderr]
            1 as it was
            $ guild add own/notes
            [stderr]
            error[source_ambiguous]: `own/notes` is a directory or a file here, and a repository elsewhere; write `./own/notes` or `https://github.com/own/notes`
            [exit 2]
            $ guild add ./own/notes --user --link
            installed skill notes ([ROOT]/project/own/notes)
            [stderr]
            1 installed
            $ guild add ./nothing
            [stderr]
            error[path_not_found]: there is nothing at [ROOT]/project/nothing
            [exit 1]
        "#]],
    );
    expect!["skills/notes/SKILL.md"].assert_eq(&tree(&env, "project/.guild"));
    expect![[r#"
        guild.lock
        skills/notes ->"#]]
    .assert_eq(&tree(&env, "home/.guild"));
    assert!(
        fs::read_to_string(env.project().join("guild.lock")).unwrap().contains("source = \"./own/notes\"")
    );
}

#[test]
fn an_archive_is_unpacked_and_told_by_its_digest() {
    let env = world();
    let bytes = archive(|builder| append(builder, b"x/run.sh", EntryType::Regular, 0o755, b"echo\n"));
    fs::write(env.project().join("tidy.tar"), bytes).unwrap();
    check(
        &env,
        "guild add ./tidy.tar\nguild add ./tidy.tar --json",
        &expect![[r#"
            $ guild add ./tidy.tar
            installed skill x (./tidy.tar at 01c499d66395)
            [stderr]
            1 installed
            $ guild add ./tidy.tar --json
            {"status":"ok","code":"ok","message":"1 as it was","data":{"scope":"project","source":{"source":"[ROOT]/project/tidy.tar","source_type":"archive","ref":null,"resolved":"sha256:01c499d66395224f4077f8416a0efa2fdd4bfa4aa856436ef7339eecaafbfe8a"},"candidates":[{"name":"x","kind":"skill","path":"x","description":"Does it","loaded":true}],"installed":[{"name":"x","kind":"skill","change":"unchanged","status":"enabled","path":"[ROOT]/project/.guild/skills/x","digest":"sha256:be79ddda38d297bf43f950360b9904adca8811a9f9fe6746ee663bb71b60bf97","resolved":"sha256:01c499d66395224f4077f8416a0efa2fdd4bfa4aa856436ef7339eecaafbfe8a","source":"./tidy.tar"}],"vetted":[],"lock":"[ROOT]/project/guild.lock","previews":[]}}
        "#]],
    );
    expect![[r#"
        skills/x/SKILL.md
        skills/x/run.sh*"#]]
    .assert_eq(&tree(&env, "project/.guild"));
}

#[test]
fn a_flat_skill_becomes_the_file_of_its_directory() {
    let env = world();
    env.write("//- /project/pack/skills/notes.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down all of it, in the order in which it was said.\n");
    check(
        &env,
        "guild add ./pack\nguild show notes --no-body",
        &expect![[r#"
        $ guild add ./pack
        installed skill notes (./pack)
        [stderr]
        1 installed
        $ guild show notes --no-body
        notes
        Keeps notes

        kind         inline
        source       project
        path         [ROOT]/project/.guild/skills/notes/SKILL.md
        eligible     yes
        enabled      yes
        for models   yes
        for people   yes
        needs        workspace read, network none
        time-out     600 s
        files        SKILL.md
        digest       sha256:f756f927f670093e3c15a4a7c529266b3584deda0a78bb10ca98fa07b5285ffd
    "#]],
    );
}

#[test]
fn a_person_at_a_terminal_is_asked_which_ones_they_mean() {
    let (env, _repository) = world_of_skills();
    let add = env.invocation(&["add", "acme/skills", "--color", "never"]).env("TERM", "dumb");
    expect![[r#"
        exit: 0
        --- stdout
        installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
        installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
        --- stderr
        NAME            KIND    PATH                        DESCRIPTION
        1) acme         plugin  plugins/acme                Ships
        2) acme/deploy  skill   plugins/acme/skills/deploy  Deploys with the pipeline of Acme
        3) broken       skill   skills/broken               does not load
        4) docx         skill   skills/docx                 Reads Word files
        5) pdf          skill   skills/pdf                  Reads PDF files and fills in their forms
        Which ones? Numbers or names with commas between them, or all: Which ones? Numbers or names with commas between them, or all: Which ones? Numbers or names with commas between them, or all: 2 installed
    "#]].assert_eq(&add.typed("0\n\n5,docx\n").to_string());
    expect![[r#"
        skills/docx/SKILL.md
        skills/pdf/SKILL.md
        skills/pdf/scripts/read.sh*"#]]
    .assert_eq(&tree(&env, "project/.guild"));
}

#[test]
fn a_mirror_stands_for_the_forge() {
    let (env, _repository) = world_of_skills();
    let mirror = format!("builtins = false\n[sources]\ngithub = \"file://{}\"\n", env.join("srv").display());
    fs::write(env.home().join(".config/guild/config.toml"), mirror).unwrap();
    check(
        &env,
        "guild add acme/skills@pdf",
        &expect![[r#"
        $ guild add acme/skills@pdf
        installed skill pdf (file://[ROOT]/srv/acme/skills at cacdd2bb6a9f)
        [stderr]
        1 installed
    "#]],
    );
    env.write("//- /home/.config/guild/config.toml\nbuiltins = false\n[sources]\ngithub = 7\n");
    check(
        &env,
        "guild add acme/skills@pdf",
        &expect![[r#"
        $ guild add acme/skills@pdf
        [stderr]
        error[source_invalid]: `sources.github` in your configuration is no address such as `https://git.example`
        [exit 2]
    "#]],
    );
}

#[test]
fn a_page_whose_branch_has_a_slash_and_a_skill_without_its_directory_are_found() {
    let (env, mut repository) = world_of_skills();
    repository.git(&["checkout", "--quiet", "-b", "feature/plan"]);
    repository.commit("//- /skills/plan/SKILL.md\n---\nname: plan\ndescription: Plans\n---\n\nPlan what is to be done, one step behind the other.\n");
    repository.publish(&env.join("srv/acme"), "skills");
    check(
        &env,
        "
        guild add https://github.com/acme/skills/tree/feature/plan/skills/plan
        guild add acme/skills/pdf@v1
        guild add acme/skills/skills/docx/SKILL.md
        guild add acme/skills/nothing
        guild add acme/skills#0123456
        guild add github.com/acme/skills
        guild add ../srv/acme/skills
        guild outdated
        ",
        &expect![[r#"
            $ guild add https://github.com/acme/skills/tree/feature/plan/skills/plan
            installed skill plan (https://github.com/acme/skills at d803c6619fc9)
            [stderr]
            1 installed
            $ guild add acme/skills/pdf@v1
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed
            $ guild add acme/skills/skills/docx/SKILL.md
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed
            $ guild add acme/skills/nothing
            [stderr]
            error[path_not_found]: https://github.com/acme/skills has no directory `nothing`
            [exit 1]
            $ guild add acme/skills#0123456
            [stderr]
            error[source_ref_unknown]: https://github.com/acme/skills has no branch, tag or commit `0123456`; a commit is named by its whole id
            [exit 1]
            $ guild add github.com/acme/skills
            [stderr]
            error[source_invalid]: `github.com/acme/skills` is no source: an address begins with `https://`, and a directory of this machine with `./`
            [exit 2]
            $ guild add ../srv/acme/skills
            [stderr]
            error[no_skills]: it is a repository without files beside it; `guild add file://[ROOT]/srv/acme/skills` fetches it
            [exit 1]
            $ guild outdated
            [stderr]
            everything is up to date
        "#]],
    );
    let lock = fs::read_to_string(env.join("project/guild.lock")).unwrap();
    let lines = lock.lines().filter(|line| line.starts_with("path") || line.starts_with("ref"));
    expect![[r#"
        path = "skills/docx"
        path = "skills/pdf"
        ref = "v1"
        path = "skills/plan"
        ref = "feature/plan""#]]
    .assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn of_many_that_are_as_they_were_only_the_number_is_told() {
    let env = world();
    let skill = |at: usize| {
        format!(
            "//- /project/all/s{at}/SKILL.md\n---\nname: s{at}\ndescription: Does it\n---\n\nDo what has to be done here, and say what you have done.\n"
        )
    };
    env.write(&(1..=6).map(skill).collect::<String>());
    done(&env, &["add", "./all", "--all"]);
    env.write(&skill(7));
    check(
        &env,
        "guild add ./all --skill s1,s2\nguild add ./all --all\nguild add ./all --all",
        &expect![[r#"
        $ guild add ./all --skill s1,s2
        unchanged skill s1 (./all)
        unchanged skill s2 (./all)
        [stderr]
        2 as it was
        $ guild add ./all --all
        installed skill s7 (./all)
        unchanged 6 more
        [stderr]
        1 installed, 6 as it was
        $ guild add ./all --all
        unchanged all 7
        [stderr]
        7 as it was
    "#]],
    );
}
