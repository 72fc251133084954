//! Packages of npm: the version that is meant, held to its digest, without running anything of it.

use super::{check, done, trimmed, world};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use expect_test::expect;
use guild_engine::manifest::Digest;
use guild_engine::source::archive::Packer;
use guild_testkit::{Env, NpmRegistry, WebServer, session};
use std::fs;

/// A registry of npm's own form: a document for each package, and the archives that it names.
struct Npm {
    server: WebServer,
    root: std::path::PathBuf,
}

impl Npm {
    fn start(env: &Env) -> Self {
        let root = env.join("npm");
        fs::create_dir_all(root.join("-")).unwrap();
        let server = WebServer::start(&root);
        env.write(&format!(
            "//- /home/.config/guild/config.toml\nbuiltins = false\n[sources]\nnpm = \"http://{}\"\n",
            server.host()
        ));
        Self { server, root }
    }

    /// Publishes versions of a package, each with its text, and with what the registry says instead of its digest.
    fn publish(&self, package: &str, releases: &[(&str, &str, Option<&str>)]) {
        let mut versions = Vec::new();
        for (version, text, instead) in releases {
            let file = format!("{}-{version}.tgz", package.replace(['@', '/'], "_"));
            let manifest = format!(
                r#"{{"name": "{package}", "version": "{version}", "scripts": {{"postinstall": "touch ran"}}}}"#
            );
            let skill = format!(
                "---\nname: sawing\ndescription: Saws\n---\n\n{text} along the line that was drawn before.\n"
            );
            let mut packer = Packer::new(Vec::new());
            packer.add("package/package.json", manifest.as_bytes()).unwrap();
            packer.add("package/skills/sawing/SKILL.md", skill.as_bytes()).unwrap();
            let archive = packer.finish().unwrap();
            let sum = STANDARD.encode(Digest::of(&archive).as_bytes());
            let integrity = instead.map_or_else(|| format!(r#""integrity": "sha256-{sum}""#), str::to_owned);
            fs::write(self.root.join("-").join(&file), archive).unwrap();
            versions.push(format!(
                r#""{version}": {{"dist": {{"tarball": "http://{}/-/{file}", {integrity}}}}}"#,
                self.server.host()
            ));
        }
        let latest = releases.last().unwrap().0;
        let document = format!(
            r#"{{"name": "{package}", "dist-tags": {{"latest": "{latest}"}}, "versions": {{{}}}}}"#,
            versions.join(",")
        );
        fs::write(self.root.join(package.replace('/', "%2f")), document).unwrap();
    }
}

#[test]
fn a_package_is_installed_in_the_version_that_is_meant_and_updated() {
    let env = world();
    let npm = Npm::start(&env);
    npm.publish("@acme/tools", &[("1.0.0", "Saw", None)]);
    check(
        &env,
        "
        guild add npm:@acme/tools --list
        guild add npm:@acme/tools
        guild outdated
        ",
        &expect![[r#"
            $ guild add npm:@acme/tools --list
            NAME    KIND   PATH           DESCRIPTION
            sawing  skill  skills/sawing  Saws
            [stderr]
            1 skill, 0 plugins
            $ guild add npm:@acme/tools
            installed skill sawing (@acme/tools at 1.0.0)
            [stderr]
            1 installed
            $ guild outdated
            [stderr]
            everything is up to date
        "#]],
    );
    npm.publish("@acme/tools", &[("1.0.0", "Saw", None), ("1.1.0", "Sew", None)]);
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.home().join(".local/share/guild/store")).unwrap();
    check(
        &env,
        "
        guild sync
        guild outdated
        guild update --yes
        guild rollback sawing
        guild add npm:@acme/tools@^1 --replace
        guild add npm:@acme/tools --ref 1.0.0 --replace
        guild list --installed
        ",
        &expect![[r#"
            $ guild sync
            installed skill sawing (@acme/tools at 1.0.0)
            [stderr]
            1 restored, 0 as locked
            $ guild outdated
            NAME    STATE     REF  INSTALLED     LATEST        SOURCE
            sawing  outdated  -    25f3a994556a  3fe81c3cbf61  @acme/tools
            [stderr]
            1 can be updated; `guild update` shows how, and asks
            $ guild update --yes
            updated skill sawing (@acme/tools at 1.1.0)
            [stderr]
            update skill sawing 1.0.0 → 1.1.0
            changed SKILL.md
            @@ -3 +3 @@
             description: Saws
             ---

            -Saw along the line that was drawn before.
            +Sew along the line that was drawn before.
            1 updated; `guild rollback NAME` goes back
            $ guild rollback sawing
            updated skill sawing (@acme/tools at 1.0.0)
            [stderr]
            `sawing` is what it was; `guild pin sawing` keeps updates from it
            $ guild add npm:@acme/tools@^1 --replace
            updated skill sawing (@acme/tools at 1.1.0)
            [stderr]
            1 replaced
            $ guild add npm:@acme/tools --ref 1.0.0 --replace
            updated skill sawing (@acme/tools at 1.0.0)
            [stderr]
            1 replaced
            $ guild list --installed
            NAME    KIND   WHERE    STATE   VERSION      SOURCE       PREVIEW
            sawing  skill  project  intact  1.0.0 1.0.0  @acme/tools  Saw along the line that was drawn before.
            [stderr]
            1 installed
        "#]],
    );
    assert!(!env.project().join("ran").exists());
}

#[test]
fn a_package_that_is_not_there_or_not_what_it_says_is_not_installed() {
    let env = world();
    let npm = Npm::start(&env);
    npm.publish(
        "tools",
        &[("1.0.0", "Saw", Some(r#""shasum": "0123456789012345678901234567890123456789""#))],
    );
    npm.publish("bare", &[("1.0.0", "Saw", Some(r#""fileCount": 2"#))]);
    fs::write(npm.root.join("odd"), "<html>").unwrap();
    let script = "
        guild add npm:tools
        guild add npm:tools@2
        guild add npm:bare
        guild add npm:odd
        guild add npm:nothing
        guild add npm:../tools
        ";
    let shown = session(&env, script).replace(npm.server.host(), "[NPM]");
    expect![[r#"
        $ guild add npm:tools
        [stderr]
        error[source_changed]: http://[NPM]/-/tools-1.0.0.tgz is not what the registry says that version 1.0.0 of `tools` is; nothing of it was kept
        [exit 1]
        $ guild add npm:tools@2
        [stderr]
        error[source_ref_unknown]: npm package `tools`: there is no version `2` of it
        [exit 1]
        $ guild add npm:bare
        [stderr]
        error[source_invalid]: npm package `bare`: version 1.0.0 of it has no digest, so nobody could tell what it is
        [exit 2]
        $ guild add npm:odd
        [stderr]
        error[source_invalid]: npm package `odd`: the registry's answer cannot be read: expected value at line 1 column 1
        [exit 2]
        $ guild add npm:nothing
        [stderr]
        error[source_denied]: http://[NPM]/nothing is not there, or not for you: 404
        [exit 1]
        $ guild add npm:../tools
        [stderr]
        error[source_invalid]: `npm:../tools` is no source: behind `npm:` stands a package, such as @scope/name or name@1.2
        [exit 2]
    "#]].assert_eq(&trimmed(&shown));
    assert!(!env.project().join("guild.lock").exists());
}

#[test]
fn a_marketplace_offers_packages_too() {
    let env = world();
    let npm = Npm::start(&env);
    npm.publish("@acme/tools", &[("1.0.0", "Saw", None)]);
    env.write(r#"
//- /project/market/.claude-plugin/marketplace.json
{"name": "m", "owner": {"name": "Acme"}, "plugins": [{"name": "saw", "source": {"source": "npm", "package": "@acme/tools", "version": "^1.0.0"}}]}
"#);
    done(&env, &["add", "marketplace:./market", "--skill", "saw"]);
    let lock = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    let lines: Vec<&str> = lock.lines().take_while(|line| !line.starts_with("digest")).skip(4).collect();
    expect![[r#"
        name = "sawing"
        source = "@acme/tools"
        source_type = "npm"
        path = "skills/sawing"
        ref = "^1.0.0"
        resolved = "1.0.0"
        offer = { marketplace = "./market", plugin = "saw" }"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn a_private_package_of_a_real_registry_is_installed_by_whom_it_knows() {
    let env = world();
    let registry = NpmRegistry::start();
    env.write(
        r#"
//- /tools/package.json
{"name": "@acme/tools", "version": "1.0.0", "license": "MIT"}
//- /tools/skills/sawing/SKILL.md
---
name: sawing
description: Saws
---

Saw along the line that was drawn before.
"#,
    );
    registry.publish(&env.join("tools"));
    let host = registry.host();
    env.write(&format!("//- /home/.npmrc\n@acme:registry=http://{host}/\n"));
    let script = "guild add npm:@acme/tools";
    let shown = session(&env, script).replace(host, "[NPM]");
    expect![[r#"
        $ guild add npm:@acme/tools
        [stderr]
        error[source_denied]: http://[NPM]/@acme%2ftools is not there, or not for you: 401
        [exit 1]
    "#]]
    .assert_eq(&trimmed(&shown));
    env.write(&format!(
        "//- /home/.npmrc\n@acme:registry=http://{host}/\n//{host}/:_authToken={}\n",
        registry.token()
    ));
    let shown = session(&env, script).replace(host, "[NPM]");
    expect![[r#"
        $ guild add npm:@acme/tools
        installed skill sawing (http://[NPM]/@acme/tools at 1.0.0)
        [stderr]
        1 installed
    "#]]
    .assert_eq(&trimmed(&shown));
    let lock = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    assert!(
        lock.contains(&format!("http://{host}/@acme/tools")) && !lock.contains(registry.token()),
        "{lock}"
    );
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.home().join(".local/share/guild/store")).unwrap();
    done(&env, &["sync"]);
}
