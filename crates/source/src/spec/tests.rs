//! What a person may write for a source, and what it is taken for.

use super::*;
use expect_test::{Expect, expect};

#[track_caller]
fn check(texts: &[&str], expected: &Expect) {
    let mut shown = String::new();
    for text in texts {
        let line = match parse(text, "https://github.com") {
            Ok(Spec::Path(path)) => format!("path {}", path.display()),
            Ok(Spec::Git(GitSpec { url, path, reference, at, is_loose: _ })) => {
                let part = |name: &str, value: Option<String>| {
                    value.map(|value| format!(" {name}={value}")).unwrap_or_default()
                };
                format!("git {url}{}{}{}", part("path", path), part("ref", reference), part("at", at))
            }
            Ok(Spec::Url(UrlSpec { url, digest, is_skill })) => {
                let digest = digest.map(|digest| format!(" {digest}")).unwrap_or_default();
                format!("{} {url}{digest}", if is_skill { "skill" } else { "archive" })
            }
            Ok(Spec::Npm(NpmSpec { package, version, .. })) => {
                format!("npm {package}{}", version.map(|version| format!(" {version}")).unwrap_or_default())
            }
            Ok(Spec::Oci(spec)) => format!("oci {}", spec.whole()),
            Ok(Spec::Server(ServerSpec { server, skill })) => {
                format!("server {server}{}", skill.map(|skill| format!(" skill={skill}")).unwrap_or_default())
            }
            Err(error) => format!("no: {error}"),
        };
        shown.push_str(&format!("{text}\n    {line}\n").replace('\u{1b}', "[ESC]"));
    }
    expected.assert_eq(&shown);
}

#[test]
fn paths_of_this_machine() {
    check(
        &[".", "..", "./skills", ".claude/skills", "../a b", "/srv/skills.zip", "~/skills", "./a@b#c"],
        &expect![[r#"
            .
                path .
            ..
                path ..
            ./skills
                path ./skills
            .claude/skills
                path .claude/skills
            ../a b
                path ../a b
            /srv/skills.zip
                path /srv/skills.zip
            ~/skills
                path ~/skills
            ./a@b#c
                path ./a@b#c
        "#]],
    );
}

#[test]
fn packages_of_npm() {
    check(
        &["npm:tools", "npm:@acme/tools@^1.2", "npm:../x", "npm:"],
        &expect![[r#"
        npm:tools
            npm tools
        npm:@acme/tools@^1.2
            npm @acme/tools ^1.2
        npm:../x
            no: `npm:../x` is no source: behind `npm:` stands a package, such as @scope/name or name@1.2
        npm:
            no: `npm:` is no source: behind `npm:` stands a package, such as @scope/name or name@1.2
    "#]],
    );
}

#[test]
fn servers_of_the_person() {
    check(
        &["mcp:tracker", "mcp:tracker/triage", "mcp:", "mcp:a/b/c", "mcp:../x", "mcp:a b"],
        &expect![[r#"
            mcp:tracker
                server tracker
            mcp:tracker/triage
                server tracker skill=triage
            mcp:
                no: `mcp:` is no source: behind `mcp:` stands one of your MCP servers, such as tracker or tracker/triage
            mcp:a/b/c
                no: `mcp:a/b/c` is no source: behind `mcp:` stands one of your MCP servers, such as tracker or tracker/triage
            mcp:../x
                no: `mcp:../x` is no source: behind `mcp:` stands one of your MCP servers, such as tracker or tracker/triage
            mcp:a b
                no: `mcp:a b` is no source: behind `mcp:` stands one of your MCP servers, such as tracker or tracker/triage
        "#]],
    );
}

#[test]
fn repositories_of_the_forge() {
    check(
        &[
            "owner/repo",
            "owner/repo.git",
            "owner/repo/skills/pdf",
            "owner/repo/skills/",
            "owner/repo@pdf",
            "owner/repo@v1.2",
            "owner/repo#feature/x",
            "owner/repo#v1@pdf",
            "owner/repo/skills@v1.0.0",
            "owner/repo.js",
        ],
        &expect![[r#"
            owner/repo
                git https://github.com/owner/repo
            owner/repo.git
                git https://github.com/owner/repo
            owner/repo/skills/pdf
                git https://github.com/owner/repo path=skills/pdf
            owner/repo/skills/
                git https://github.com/owner/repo path=skills
            owner/repo@pdf
                git https://github.com/owner/repo at=pdf
            owner/repo@v1.2
                git https://github.com/owner/repo at=v1.2
            owner/repo#feature/x
                git https://github.com/owner/repo ref=feature/x
            owner/repo#v1@pdf
                git https://github.com/owner/repo ref=v1 at=pdf
            owner/repo/skills@v1.0.0
                git https://github.com/owner/repo path=skills at=v1.0.0
            owner/repo.js
                git https://github.com/owner/repo.js
        "#]],
    );
}

#[test]
fn any_repository() {
    check(
        &[
            "https://git.example/team/skills.git",
            "https://git.example/team/skills.git/skills/pdf@v1",
            "https://git.example:8443/a/b/c.git#main",
            "https://ada@git.example/skills.git",
            "http://127.0.0.1:8080/skills.git@v1",
            "http://[::1]:8080/skills.git",
            "http://localhost/skills.git",
            "ssh://git@git.example:22/team/skills.git@v1",
            "git@git.example:team/skills.git",
            "git@git.example:team/skills.git/sub/dir@v1",
            "git@git.example:skills#main",
            "file:///srv/git/skills.git",
            "file:///srv/git/skills.git/pdf@v1",
            "https://git.example/team/skills",
        ],
        &expect![[r#"
            https://git.example/team/skills.git
                git https://git.example/team/skills.git
            https://git.example/team/skills.git/skills/pdf@v1
                git https://git.example/team/skills.git path=skills/pdf at=v1
            https://git.example:8443/a/b/c.git#main
                git https://git.example:8443/a/b/c.git ref=main
            https://ada@git.example/skills.git
                git https://ada@git.example/skills.git
            http://127.0.0.1:8080/skills.git@v1
                git http://127.0.0.1:8080/skills.git at=v1
            http://[::1]:8080/skills.git
                git http://[::1]:8080/skills.git
            http://localhost/skills.git
                git http://localhost/skills.git
            ssh://git@git.example:22/team/skills.git@v1
                git ssh://git@git.example:22/team/skills.git at=v1
            git@git.example:team/skills.git
                git git@git.example:team/skills.git
            git@git.example:team/skills.git/sub/dir@v1
                git git@git.example:team/skills.git path=sub/dir at=v1
            git@git.example:skills#main
                git git@git.example:skills ref=main
            file:///srv/git/skills.git
                git file:///srv/git/skills.git
            file:///srv/git/skills.git/pdf@v1
                git file:///srv/git/skills.git path=pdf at=v1
            https://git.example/team/skills
                git https://git.example/team/skills
        "#]],
    );
}

#[test]
fn pages_of_forges() {
    check(
        &[
            "https://github.com/owner/repo",
            "https://github.com/owner/repo/tree/main/skills/pdf",
            "https://github.com/owner/repo/blob/v1/skills/pdf/SKILL.md",
            "https://github.com/owner/repo/tree/main",
            "https://www.github.com/owner/repo/",
            "https://gitlab.com/group/sub/repo/-/tree/main/skills?ref_type=heads",
            "https://gitlab.example/group/repo/-/blob/v2/SKILL.md",
            "https://codeberg.org/owner/repo/src/branch/main/skills",
            "https://codeberg.org/owner/repo/src/commit/0123456789012345678901234567890123456789/a",
            "https://bitbucket.org/owner/repo/src/main/skills",
            "https://dev.azure.com/org/project/_git/repo?path=/skills&version=GBmain",
        ],
        &expect![[r#"
            https://github.com/owner/repo
                git https://github.com/owner/repo
            https://github.com/owner/repo/tree/main/skills/pdf
                git https://github.com/owner/repo path=skills/pdf ref=main
            https://github.com/owner/repo/blob/v1/skills/pdf/SKILL.md
                git https://github.com/owner/repo path=skills/pdf ref=v1
            https://github.com/owner/repo/tree/main
                git https://github.com/owner/repo ref=main
            https://www.github.com/owner/repo/
                git https://www.github.com/owner/repo
            https://gitlab.com/group/sub/repo/-/tree/main/skills?ref_type=heads
                git https://gitlab.com/group/sub/repo path=skills ref=main
            https://gitlab.example/group/repo/-/blob/v2/SKILL.md
                git https://gitlab.example/group/repo ref=v2
            https://codeberg.org/owner/repo/src/branch/main/skills
                git https://codeberg.org/owner/repo path=skills ref=main
            https://codeberg.org/owner/repo/src/commit/0123456789012345678901234567890123456789/a
                git https://codeberg.org/owner/repo path=a ref=0123456789012345678901234567890123456789
            https://bitbucket.org/owner/repo/src/main/skills
                git https://bitbucket.org/owner/repo path=skills ref=main
            https://dev.azure.com/org/project/_git/repo?path=/skills&version=GBmain
                git https://dev.azure.com/org/project/_git/repo path=skills ref=main
        "#]],
    );
}

#[test]
fn pages_of_forges_as_a_browser_shows_them() {
    check(
        &[
            "https://github.com/owner/repo?tab=readme-ov-file",
            "https://github.com/owner/repo?tab=readme-ov-file#v1",
            "https://gitlab.com/group/sub/repo?ref_type=heads",
            "https://github.com/owner/repo/tree/main/My%20Skills/pdf",
            "https://github.com/owner/repo/tree/main/a%2F..%2F..%2Fb",
            "https://github.com/owner/repo/tree/main/100%/%0a",
            "https://dev.azure.com/org/project/_git/repo?path=%2Fskills%2Fmy%20one&version=GTv1.2",
            "https://dev.azure.com/org/project/_git/repo?version=GC0123456789012345678901234567890123456789",
        ],
        &expect![[r#"
            https://github.com/owner/repo?tab=readme-ov-file
                git https://github.com/owner/repo
            https://github.com/owner/repo?tab=readme-ov-file#v1
                git https://github.com/owner/repo ref=v1
            https://gitlab.com/group/sub/repo?ref_type=heads
                git https://gitlab.com/group/sub/repo
            https://github.com/owner/repo/tree/main/My%20Skills/pdf
                git https://github.com/owner/repo path=My Skills/pdf ref=main
            https://github.com/owner/repo/tree/main/a%2F..%2F..%2Fb
                no: `a/../../b` leads out of the repository
            https://github.com/owner/repo/tree/main/100%/%0a
                git https://github.com/owner/repo path=100%/%0a ref=main
            https://dev.azure.com/org/project/_git/repo?path=%2Fskills%2Fmy%20one&version=GTv1.2
                git https://dev.azure.com/org/project/_git/repo path=skills/my one ref=v1.2
            https://dev.azure.com/org/project/_git/repo?version=GC0123456789012345678901234567890123456789
                git https://dev.azure.com/org/project/_git/repo ref=0123456789012345678901234567890123456789
        "#]],
    );
}

#[test]
fn pages_of_more_forges_and_of_ones_own() {
    check(
        &[
            "https://git.sr.ht/~ada/skills",
            "https://git.sr.ht/~ada/skills/tree/main/item/skills/pdf",
            "https://git.sr.ht/~ada/skills/tree/feature/x/item/skills/pdf/SKILL.md",
            "https://git.sr.ht/~ada/skills/tree/v1.2",
            "https://github.company.example/owner/repo/tree/main/skills/pdf",
            "https://forgejo.example/owner/repo/src/branch/main/skills/pdf",
            "https://forgejo.example/owner/repo/src/tag/v1/skills/pdf/SKILL.md",
            "https://forgejo.example/owner/repo/src/main.rs",
            "https://gitlab.com/group/sub/repo/tree/main/skills",
            "https://bitbucket.company.example/projects/TEAM/repos/skills/browse/pdf?at=refs%2Fheads%2Ffeature%2Fx",
            "https://bitbucket.company.example/users/ada/repos/skills/browse",
            "https://ada@dev.azure.com/org/project/_git/repo",
            "https://dev.azure.com/org/project/_git/repo#v1",
            "https://dev.azure.com/org/project/_git/repo@pdf",
            "https://dev.azure.com/org/project/_git/repo?path=/skills/pdf/SKILL.md&version=GBfeature/x@y",
            "https://git.example/team/skills.git/skills/pdf/SKILL.md",
            "owner/repo/skills/pdf/SKILL.md",
        ],
        &expect![[r#"
            https://git.sr.ht/~ada/skills
                git https://git.sr.ht/~ada/skills
            https://git.sr.ht/~ada/skills/tree/main/item/skills/pdf
                git https://git.sr.ht/~ada/skills path=skills/pdf ref=main
            https://git.sr.ht/~ada/skills/tree/feature/x/item/skills/pdf/SKILL.md
                git https://git.sr.ht/~ada/skills path=skills/pdf ref=feature/x
            https://git.sr.ht/~ada/skills/tree/v1.2
                git https://git.sr.ht/~ada/skills ref=v1.2
            https://github.company.example/owner/repo/tree/main/skills/pdf
                git https://github.company.example/owner/repo path=skills/pdf ref=main
            https://forgejo.example/owner/repo/src/branch/main/skills/pdf
                git https://forgejo.example/owner/repo path=skills/pdf ref=main
            https://forgejo.example/owner/repo/src/tag/v1/skills/pdf/SKILL.md
                git https://forgejo.example/owner/repo path=skills/pdf ref=v1
            https://forgejo.example/owner/repo/src/main.rs
                git https://forgejo.example/owner/repo/src/main.rs
            https://gitlab.com/group/sub/repo/tree/main/skills
                git https://gitlab.com/group/sub/repo path=skills ref=main
            https://bitbucket.company.example/projects/TEAM/repos/skills/browse/pdf?at=refs%2Fheads%2Ffeature%2Fx
                git https://bitbucket.company.example/scm/team/skills.git path=pdf ref=feature/x
            https://bitbucket.company.example/users/ada/repos/skills/browse
                git https://bitbucket.company.example/scm/~ada/skills.git
            https://ada@dev.azure.com/org/project/_git/repo
                git https://ada@dev.azure.com/org/project/_git/repo
            https://dev.azure.com/org/project/_git/repo#v1
                git https://dev.azure.com/org/project/_git/repo ref=v1
            https://dev.azure.com/org/project/_git/repo@pdf
                git https://dev.azure.com/org/project/_git/repo at=pdf
            https://dev.azure.com/org/project/_git/repo?path=/skills/pdf/SKILL.md&version=GBfeature/x@y
                git https://dev.azure.com/org/project/_git/repo path=skills/pdf ref=feature/x@y
            https://git.example/team/skills.git/skills/pdf/SKILL.md
                git https://git.example/team/skills.git path=skills/pdf
            owner/repo/skills/pdf/SKILL.md
                git https://github.com/owner/repo path=skills/pdf
        "#]],
    );
}

#[test]
fn files_at_addresses() {
    let digest = format!("https://x.example/a.tgz#{}", Digest::of(b""));
    check(
        &[
            "https://x.example/a.zip",
            "https://x.example/a/b.tar.gz?token=1",
            &digest,
            "https://x.example/a.zip#sha256:12",
            "https://x.example/skills/pdf/SKILL.md",
            "http://x.example/a.zip",
            "http://127.0.0.1:80/a.zip",
            "https://ada:secret@x.example/a.zip",
            "https://github.com/owner/repo/blob/main/skills/pdf/SKILL.md",
            "https://github.com/owner/repo/archive/refs/heads/main.zip",
            "https://x.example/a.tar.xz",
            "https://x.example/a.TAR.zst",
            "https://x.example/pdf.skill",
        ],
        &expect![[r#"
            https://x.example/a.zip
                archive https://x.example/a.zip
            https://x.example/a/b.tar.gz?token=1
                archive https://x.example/a/b.tar.gz?token=1
            https://x.example/a.tgz#sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                archive https://x.example/a.tgz sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
            https://x.example/a.zip#sha256:12
                no: `sha256:12` is no source: behind `#` stands `sha256:` and 64 hexadecimal digits
            https://x.example/skills/pdf/SKILL.md
                skill https://x.example/skills/pdf/SKILL.md
            http://x.example/a.zip
                no: `http` is no way to fetch skills: https, ssh and file are, and http on this machine alone
            http://127.0.0.1:80/a.zip
                archive http://127.0.0.1:80/a.zip
            https://ada:secret@x.example/a.zip
                no: the address has a password in it, which the lock would keep: leave it to git's credential helpers
            https://github.com/owner/repo/blob/main/skills/pdf/SKILL.md
                git https://github.com/owner/repo path=skills/pdf ref=main
            https://github.com/owner/repo/archive/refs/heads/main.zip
                archive https://github.com/owner/repo/archive/refs/heads/main.zip
            https://x.example/a.tar.xz
                archive https://x.example/a.tar.xz
            https://x.example/a.TAR.zst
                archive https://x.example/a.TAR.zst
            https://x.example/pdf.skill
                archive https://x.example/pdf.skill
        "#]],
    );
}

#[test]
fn what_is_refused_at_first_sight() {
    check(
        &[
            "",
            "-u",
            "--upload-pack=touch",
            "owner",
            "a b/c",
            "owner/../repo",
            "owner/repo/../..",
            "owner/repo/.git/hooks",
            "owner/repo@-x",
            "owner/repo#a..b",
            "owner/repo@a:b",
        ],
        &expect![[r#"

                no: `` is no source: write owner/repo, the URL of a repository, or the path of a directory or an archive
            -u
                no: `-u` begins with `-`, which git could take for an option
            --upload-pack=touch
                no: `--upload-pack=touch` begins with `-`, which git could take for an option
            owner
                no: `owner` is no source: write owner/repo, the URL of a repository, or the path of a directory or an archive
            a b/c
                no: `a b/c` is no source: it has a blank in it; a directory is written ./like this
            owner/../repo
                no: `owner/../repo` is no source: write owner/repo, the URL of a repository, or the path of a directory or an archive
            owner/repo/../..
                no: `../..` leads out of the repository
            owner/repo/.git/hooks
                no: `.git/hooks` leads out of the repository
            owner/repo@-x
                no: `-x` begins with `-`, which git could take for an option
            owner/repo#a..b
                no: `a..b` is no source: what stands after `@` or `#` is a ref or the name of a skill
            owner/repo@a:b
                no: `a:b` is no source: what stands after `@` or `#` is a ref or the name of a skill
        "#]],
    );
}

#[test]
fn ways_to_fetch_that_are_refused() {
    check(
        &[
            "ext::sh -c touch",
            "fd::17/x",
            "git://git.example/x.git",
            "http://git.example/x.git",
            "http://127.0.0.1.evil.example/x.git",
            "ftp://git.example/x",
            "https://ada:secret@git.example/x.git",
            "https://-oProxyCommand=x/y.git",
            "ssh://-oProxyCommand=x/y.git",
            "-oProxyCommand=x:y",
            "git@-oProxyCommand=x:y",
            "https:///x",
            "git.example/x",
            "a\u{1b}[31m/b",
        ],
        &expect![[r#"
            ext::sh -c touch
                no: `ext::sh -c touch` is no source: it has a blank in it; a directory is written ./like this
            fd::17/x
                no: `fd` is no way to fetch skills: https, ssh and file are, and http on this machine alone
            git://git.example/x.git
                no: `git` is no way to fetch skills: https, ssh and file are, and http on this machine alone
            http://git.example/x.git
                no: `http` is no way to fetch skills: https, ssh and file are, and http on this machine alone
            http://127.0.0.1.evil.example/x.git
                no: `http` is no way to fetch skills: https, ssh and file are, and http on this machine alone
            ftp://git.example/x
                no: `ftp` is no way to fetch skills: https, ssh and file are, and http on this machine alone
            https://ada:secret@git.example/x.git
                no: the address has a password in it, which the lock would keep: leave it to git's credential helpers
            https://-oProxyCommand=x/y.git
                no: `-oProxyCommand=x` begins with `-`, which git could take for an option
            ssh://-oProxyCommand=x/y.git
                no: `-oProxyCommand=x` begins with `-`, which git could take for an option
            -oProxyCommand=x:y
                no: `-oProxyCommand=x:y` begins with `-`, which git could take for an option
            git@-oProxyCommand=x:y
                no: `git@-oProxyCommand=x:y` begins with `-`, which git could take for an option
            https:///x
                no: `https` is no way to fetch skills: https, ssh and file are, and http on this machine alone
            git.example/x
                no: `git.example/x` is no source: an address begins with `https://`, and a directory of this machine with `./`
            a[ESC][31m/b
                no: `a[ESC][31m/b` is no source: write owner/repo, the URL of a repository, or the path of a directory or an archive
        "#]],
    );
}

#[test]
fn a_skill_at_the_root_is_named_after_its_repository() {
    let name = |text| match parse(text, "https://github.com") {
        Ok(Spec::Git(spec)) => spec.repository_name().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(name("owner/repo.git"), "repo");
    assert_eq!(name("owner/repo/skills/pdf"), "pdf");
    assert_eq!(name("git@host:repo.git"), "repo");
}

#[test]
fn only_a_whole_lower_case_id_is_a_commit() {
    assert!(is_commit(&"a".repeat(40)) && is_commit(&"0".repeat(64)));
    assert!(!is_commit(&"A".repeat(40)) && !is_commit(&"a".repeat(39)) && !is_commit(&"g".repeat(40)));
}
