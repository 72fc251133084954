//! The page in a real browser: a person comes by a link, sees what an agent waits for, decides, and reads what became of it.
//!
//! Every test keeps pictures below `target/page-pictures`, for somebody to look at.

mod reader;

use crate::env;
use crate::serve::client::until;
use crate::serve::{SKILLS, Served};
use guild_testkit::{Browser, Env, GitServer, Repository, git_script};
use reader::Reader;
use serde_json::{Value as Json, json};

const WORLD: &str = r#"
//- /home/.config/guild/config.toml
[agents.default]
skills = "*"
[agents.intern]
skills = ["greet"]
//- /project/.guild/skills/tidy-notes/SKILL.md
---
name: tidy-notes
description: Sorts the notes of a meeting into decisions, open questions and tasks, each with a name and a date
---
# Tidy notes

Read the notes once, then write three lists:

1. **Decisions**, each with who decided
2. *Open questions*
3. Tasks, with a name and a date

> Leave out what nobody will read again.

| list | at most |
| --- | --- |
| decisions | 10 |
| tasks | 20 |

```sh
guild run tidy-notes --param path=notes.md
```

See [the guide](https://example.org/notes) and [this](javascript:alert(1)).
//- /project/.guild/skills/broken/SKILL.md
No frontmatter at all.
//- /project/.claude/plugins/acme/.claude-plugin/plugin.json
{"name": "acme", "version": "1.2.0", "description": "What Acme's teams share", "author": {"name": "Acme"}}
//- /project/.claude/plugins/acme/skills/deploy/SKILL.md
---
name: deploy
description: Ships the service, one region after the other
---
Ship it, and look at the log while it starts.
"#;

fn world() -> Env {
    env(&format!(
        "{}{WORLD}",
        SKILLS
            .replace("builtins = false\n[agents.intern]\nskills = []\n", "")
            .replace("//- /home/.config/guild/config.toml\n", "")
    ))
}

/// An agent's call that waits for a person: its client shows a dialogue, which nobody answers.
struct Waiting {
    wire: crate::serve::wire::Wire,
    id: u64,
}

fn call(served: &Served, env: &Env, who: &str) -> Waiting {
    let token = crate::serve::token(env, who).1;
    let mut agent = served.shaking_hands(&token, "2025-11-25", json!({"elicitation": {"form": {}}}));
    let run = json!({"name": "skill_run", "arguments": {"name": "greet", "input": {"who": "Ada"}}});
    let (mut wire, id) = agent.send("tools/call", run);
    assert_eq!(wire.head().unwrap().status, 200);
    assert_eq!(wire.event().unwrap()["method"], "elicitation/create");
    Waiting { wire, id }
}

impl Waiting {
    /// What the agent gets in the end.
    fn result(mut self) -> Json {
        until(&mut self.wire, self.id)["result"].clone()
    }
}

#[test]
fn a_request_appears_without_reloading_and_is_approved_and_its_receipt_is_there() {
    let env = world();
    let served = Served::start(&env, &[]);
    let browser = Browser::start();
    let (home, _) = served.login.split_once("/login").unwrap();
    browser.go(home);
    browser.await_text("main", "guild login");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.picture("closed");
    browser.go(&served.login);
    browser.await_text("h1", "Approvals");
    assert!(!browser.url().contains("link="), "the link does not stay in the address");
    browser.await_text(".empty", "Nothing waits for you");
    browser.picture("approvals-none");
    browser.script("window.stays = true", &[]);

    let waiting = call(&served, &env, "writer");
    browser.await_text("article.request h2", "writer asks to run greet");
    assert_eq!(browser.script("return window.stays", &[]), true, "it was not reloaded");
    browser.await_text("#waiting", "1");
    browser.await_text("pre.command", "bash greet.sh --who Ada");
    browser.await_text("article.request details", "Never approved before");
    browser.picture("approvals-first");
    browser.click("article.request button[value=always]");
    browser.await_text(".notice.good", "Allowed from now on: run of greet for writer");
    assert_eq!(waiting.result()["content"][0]["text"], "hello Ada\n");
    browser.picture("approvals-held");

    // The skill has changed: what was approved is another state, and the person sees what is different.
    env.write("//- /project/.guild/skills/greet/greet.sh\necho \"hello and welcome, $2\"\n");
    let waiting = call(&served, &env, "writer");
    browser.await_text("article.request h3", "Changed since you approved it");
    browser.await_text(".diff .del .t", "echo \"hello $2\"");
    browser.await_text(".diff .add .t", "echo \"hello and welcome, $2\"");
    browser.picture("approvals-changed");
    browser.darken(true);
    browser.picture("approvals-changed-dark");
    browser.darken(false);
    browser.click("article.request button[value=once]");
    browser.await_text(".notice.good", "Allowed once");
    assert_eq!(waiting.result()["content"][0]["text"], "hello and welcome, Ada\n");

    browser.click("nav a[href='/runs']");
    browser.await_text("table.receipts", "finished");
    browser.picture("runs");
    let receipt = browser.script(
        "return [...document.querySelectorAll('table.receipts tr')].find((row) => row.textContent.includes('finished')).querySelector('a').getAttribute('href')",
        &[],
    );
    browser.click(&format!("a[href='{}']", receipt.as_str().unwrap()));
    browser.await_text("pre.output", "hello and welcome, Ada");
    browser.await_text(".chip.good", "signed by this installation");
    browser.picture("receipt");
    browser.go(&format!("{home}/runs?show=runs"));
    browser.await_text("figcaption", "Slowest skills");
    browser.picture("runs-slowest");
    browser.click("nav a[href='/runs']");
    browser.click(".top a.button");
    browser.await_text(".notice.good", "Nobody has rewritten history");
}

#[test]
fn a_denied_call_is_refused_and_a_denial_can_be_lifted() {
    let env = world();
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    let waiting = call(&served, &env, "writer");
    browser.click("article.request button[value=deny]");
    browser.await_text(".notice.good", "Denied: run of greet for writer");
    assert_eq!(waiting.result()["structuredContent"]["code"], "approval_denied");
    browser.await_text("table .chip.bad", "deny");
    browser.click("td.end button");
    browser.await_text(".notice.good", "Taken back");
    let again = call(&served, &env, "writer");
    browser.await_text("article.request h2", "writer asks to run greet");
    browser.click("article.request button[value=once]");
    assert_eq!(again.result()["content"][0]["text"], "hello Ada\n");
}

#[test]
fn a_click_on_what_has_just_slid_under_the_pointer_answers_nothing() {
    let env = world();
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    let (first, second) = (call(&served, &env, "first"), call(&served, &env, "second"));
    browser.await_text("article.request:nth-of-type(2) h2", "second asks to run greet");
    browser.point("article.request button[value=always]");
    let waiting = || serde_json::from_str::<Json>(&env.guild(&["requests", "--json"]).stdout()).unwrap();
    let asked = waiting();
    let id = asked["data"]["requests"][0]["id"].as_str().unwrap();
    assert_eq!(env.guild(&["deny", id]).code(), Some(0));
    assert_eq!(first.result()["isError"], true);
    browser.await_text("article.request:first-of-type h2", "second asks to run greet");
    browser.click_here();
    browser.await_text(".note", "changed under your pointer");
    assert_eq!(waiting()["data"]["requests"][0]["agent"], "second", "what nobody meant was answered");
    browser.point("h1");
    browser.click("article.request button[value=once]");
    browser.await_text(".notice.good", "Allowed once: run of greet for second");
    assert_eq!(second.result()["content"][0]["text"], "hello Ada\n");
}

#[test]
fn switching_a_skill_changes_what_the_agent_is_offered() {
    let env = world();
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    let mut writer = served.agent(&env, "writer");
    assert!(writer.search("greets").contains("greet (script)"));
    browser.click("nav a[href='/skills']");
    browser.await_text("ul.rows", "tidy-notes");
    browser.await_text(".findings", "broken");
    browser.picture("skills");
    browser.write("#q", "meeting");
    browser.await_text("#results", "for “meeting”, the best first");
    browser.until("the other skills to go", || !browser.has("a[href='/skills/greet']"));
    browser.picture("skills-search");
    browser.go(&format!("{}/skills/greet", browser.home));
    browser.await_text("h1", "greet");
    browser.picture("skill-script");
    browser.click("#on-writer");
    browser.await_text(".notice.good", "skill `greet` is off for agent `writer`");
    assert_eq!(writer.search("greets"), "No skill is about that.");
    browser.click("#on-writer");
    browser.await_text(".notice.good", "skill `greet` is on for agent `writer`");
    assert!(writer.search("greets").contains("greet (script)"));
}

#[test]
fn the_keyboard_alone_is_enough() {
    let env = world();
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    let waiting = call(&served, &env, "writer");
    browser.await_text("article.request h2", "writer asks to run greet");
    // From the top of the page, Tab reaches the answer, and the focus can be seen all the way.
    let focused = "const at = document.activeElement; const style = getComputedStyle(at); return [at.id, at.className, style.outlineStyle, style.outlineWidth]";
    let mut reached = String::new();
    for _ in 0..40 {
        browser.press(&["\u{e004}"]);
        let at = browser.script(focused, &[]);
        reached = at[0].as_str().unwrap_or_default().to_owned();
        assert_eq!((at[2].as_str(), at[3].as_str()), (Some("solid"), Some("2px")), "{at}");
        if reached.starts_with("once-") {
            break;
        }
    }
    assert!(reached.starts_with("once-"), "{reached}");
    browser.picture("keyboard-focus");
    browser.press(&["\u{e006}"]);
    browser.await_text(".notice.good", "Allowed once");
    assert_eq!(waiting.result()["content"][0]["text"], "hello Ada\n");
}

#[test]
fn every_view_fits_a_telephone_and_the_night_and_bars_nobody() {
    let env = world();
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    let waiting = call(&served, &env, "writer");
    browser.await_text("article.request h2", "writer asks to run greet");
    let views = [
        ("approvals", "/"),
        ("skills", "/skills"),
        ("skill", "/skills/tidy-notes"),
        ("runs", "/runs"),
        ("changes", "/changes"),
        ("plugins", "/plugins"),
        ("plugin", "/plugins/acme"),
        ("sources", "/sources"),
        ("agents", "/agents"),
        ("health", "/doctor"),
        ("editor", "/editor?skill=tidy-notes"),
    ];
    for (name, path) in views {
        browser.go(&format!("{}{path}", browser.home));
        browser.await_text("#view", "");
        browser.resize(390, 844);
        let wide = browser.script("return document.documentElement.scrollWidth", &[]);
        browser.picture(&format!("phone-{name}"));
        assert!(wide.as_u64().unwrap() <= 390, "{name} is {wide} wide");
        assert_eq!(browser.barriers(), Vec::<String>::new(), "{name} on a telephone");
        browser.resize(1280, 900);
        browser.picture(&format!("desk-{name}"));
        assert_eq!(browser.barriers(), Vec::<String>::new(), "{name}");
        browser.darken(true);
        browser.picture(&format!("night-{name}"));
        assert_eq!(browser.barriers(), Vec::<String>::new(), "{name} by night");
        browser.darken(false);
    }
    drop(waiting);
}

#[test]
fn a_hostile_skill_does_nothing_in_a_browser() {
    let env = env(&crate::page::hostile());
    let served = Served::start(&env, &[]);
    let asked = env.guild(&[
        "run",
        "sly",
        "--agent",
        "<img src=x onerror=window.hacked=1>",
        "--param",
        "x=</pre><script>window.hacked=1</script>",
    ]);
    assert_eq!(asked.code(), Some(3), "{asked}");
    let browser = Reader::enter(&served);
    for path in ["/", "/skills", "/skills/evil", "/skills/huge", "/runs", "/agents", "/sources"] {
        browser.go(&format!("{}{path}", browser.home));
        browser.await_text("#view", "");
        assert!(!browser.has_dialogue(), "{path}");
        assert_eq!(browser.script("return typeof window.hacked", &[]), "undefined", "{path}");
        let foreign = "return document.querySelectorAll('#view script, #view img, #view iframe, #view [onerror], #view [onclick], #view u').length";
        assert_eq!(browser.script(foreign, &[]), 0, "{path}");
        browser.resize(390, 844);
        let wide = browser.script("return document.documentElement.scrollWidth", &[]);
        assert!(wide.as_u64().unwrap() <= 390, "{path} is {wide} wide");
        browser.resize(1280, 900);
    }
    browser.go(&format!("{}/skills/evil", browser.home));
    browser.await_text(".prose", "window.hacked = 1");
    browser.picture("hostile-skill");
    browser.go(&browser.home);
    browser.picture("hostile-approval");
}

#[test]
fn skills_and_plugins_come_from_a_git_server_and_are_looked_at_first() {
    let env = world();
    let mut repository = Repository::new();
    repository.commit(
        r#"
//- /skills/summarise/SKILL.md
---
name: summarise
description: Says in three sentences what a text is about
---
Read the text, and say what it is about in three sentences.
//- /kit/.claude-plugin/plugin.json
{"name": "kit", "version": "0.3.0", "description": "Tools for releases", "author": {"name": "Ada"}}
//- /kit/skills/release/SKILL.md
---
name: release
description: Writes the notes of a release
---
Write them, one line for each change.
"#,
    );
    repository.publish(&env.join("srv"), "things.git");
    env.write(&format!("//- /bin/git mode:755\n{}", git_script()));
    env.write("//- /home/.gitconfig\n[credential]\n\thelper = \"!f() { echo username=ada; echo password=lovelace; }; f\"\n");
    let server = GitServer::start(&env.join("srv"));
    let url = format!("http://{}/things.git", server.host());
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    browser.click("nav a[href='/sources']");
    browser.write("#source", &url);
    browser.click("form .main");
    browser.await_text("ul.rows", "summarise");
    assert!(!env.join("project/.guild/skills/summarise").exists(), "nothing is installed by looking");
    browser.picture("sources-preview");
    browser.click("input[value='summarise']");
    browser.click("input[value='kit']");
    browser.click(".answers .main");
    browser.await_text("h1", "Installed");
    browser.await_text("h2", "kit is off until you enable it");
    browser.picture("sources-installed");
    assert!(env.join("project/.guild/skills/summarise/SKILL.md").exists());
    let mut writer = served.agent(&env, "writer");
    assert!(writer.search("three sentences").contains("summarise"));
    assert!(!writer.search("notes of a release").contains("kit/release"));
    browser.click(".answers .main");
    browser.await_text(".notice.good", "plugin `kit` is on");
    browser.picture("plugin-on");
    assert!(writer.search("notes of a release").contains("kit/release"));
    browser.click("nav a[href='/sources']");
    browser.await_text("ul.rows", "summarise");
    browser.picture("sources");
    browser.click("form[action='/sources/remove'] button");
    browser.await_text(".notice.good", "Removed.");
}

#[test]
fn an_update_is_read_on_the_page_and_exactly_what_was_read_is_installed() {
    let env = world();
    let skill = |capabilities: &str, text: &str| {
        format!(
            "//- /skills/summarise/SKILL.md\n---\nname: summarise\ndescription: Says what a text is about\nscript: go.sh\n{capabilities}---\nRun it.\n\
             //- /skills/summarise/go.sh\necho {text}\n"
        )
    };
    let mut repository = Repository::new();
    repository.commit(&skill("", "one"));
    repository.publish(&env.join("srv"), "things.git");
    env.write(&format!("//- /bin/git mode:755\n{}", git_script()));
    env.write(&format!(
        "//- /home/.gitconfig\n[url \"file://{}/srv/\"]\n\tinsteadOf = https://git.example/\n",
        env.root().display()
    ));
    let added = env.guild(&["add", "https://git.example/things.git", "--all"]);
    assert_eq!(added.code(), Some(0), "{added}");
    let installed = || std::fs::read_to_string(env.join("project/.guild/skills/summarise/go.sh")).unwrap();
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    browser.click("nav a[href='/sources']");
    browser.click("form[action='/sources/update'] button");
    browser.await_text(".notice.good", "everything is up to date");
    repository.commit(&skill("capabilities: {network: host}\n", "two"));
    repository.publish(&env.join("srv"), "things.git");
    browser.click("form[action='/sources/update'] button");
    browser.await_text(".diff .add .t", "two");
    browser.await_text("section.card", "network");
    browser.await_text("section.card .chip.warn", "wider");
    browser.picture("sources-update");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(installed(), "echo one\n", "nothing is installed by looking");
    repository.commit(&skill("capabilities: {network: host}\n", "three"));
    repository.publish(&env.join("srv"), "things.git");
    browser.click(".answers .main");
    browser.await_text(".notice.warn", "The source has changed since you looked");
    browser.await_text(".diff .add .t", "three");
    assert_eq!(installed(), "echo one\n", "what nobody has read is not installed");
    browser.click(".answers .main");
    browser.await_text(".notice.good", "1 updated");
    assert_eq!(installed(), "echo three\n");
    std::fs::write(env.join("project/.guild/skills/summarise/go.sh"), "echo mine\n").unwrap();
    repository.commit(&skill("capabilities: {network: host}\n", "four"));
    repository.publish(&env.join("srv"), "things.git");
    browser.click("form[action='/sources/update'] button");
    browser.await_text(".notice.bad", "locally_edited");
    browser.click("button[value=keep]");
    browser.await_text(".notice.good", "nothing was updated");
    assert_eq!(installed(), "echo mine\n");
}

#[test]
fn what_a_skill_wrote_is_read_and_applied() {
    let env = world();
    let write = "sed -i s/hello/goodbye/ .guild/skills/greet/greet.sh; echo new > notes.txt";
    let mount = ["sandbox", "run", "--json", "--mount", ".:/workspace:cow", "--workdir", "/workspace"];
    for script in [write, "echo other > more.txt"] {
        let output = env.guild(&[&mount[..], &["--", "sh", "-ec", script]].concat());
        assert_eq!(output.code(), Some(0), "{output}");
    }
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    browser.click("nav a[href='/changes']");
    browser.await_text("ul.rows", "1 sensitive");
    browser.picture("changes");
    browser.click("ul.rows li:first-child a");
    browser.await_text(".diff .add .t", "goodbye");
    browser.picture("change-set");
    browser.click("button[value=apply]");
    browser.await_text(".notice.bad", "changes_sensitive");
    browser.click("input[name=sensitive]");
    browser.click("button[value=apply]");
    browser.await_text(".notice.good", "Applied");
    assert_eq!(std::fs::read_to_string(env.join("project/notes.txt")).unwrap(), "new\n");
    browser.click("ul.rows li:first-child a");
    browser.click("button[value=drop]");
    browser.await_text(".notice.good", "Dropped");
    assert!(!env.join("project/more.txt").exists());
}

#[test]
fn a_skill_is_edited_with_what_is_wrong_told_while_it_is_written() {
    let env = world();
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    browser.go(&format!("{}/skills/tidy-notes", browser.home));
    browser.click(".top a.button");
    browser.await_text("#diagnostics", "nothing is wrong");
    let change = "const text = document.getElementById('content'); text.value = text.value.replace(arguments[0], arguments[1]); text.dispatchEvent(new Event('input', {bubbles: true}))";
    browser.script(change, &["---\nname: tidy-notes".into(), "name: tidy-notes".into()]);
    browser.await_text("#diagnostics .findings", "error");
    browser.picture("editor-wrong");
    browser.click(".answers .main");
    browser.await_text(".notice.bad", "draft_rejected");
    browser.script(change, &["name: tidy-notes".into(), "---\nname: tidy-notes".into()]);
    browser.script(change, &["Read the notes once".into(), "Read the notes twice".into()]);
    browser.await_text("#diagnostics", "nothing is wrong");
    browser.picture("editor");
    browser.click(".answers .main");
    browser.await_text(".notice.good", "Saved.");
    browser.await_text(".prose", "Read the notes twice");
    let written = std::fs::read_to_string(env.join("project/.guild/skills/tidy-notes/SKILL.md")).unwrap();
    assert!(written.contains("Read the notes twice, then write three lists:\n"), "{written}");
    // Somebody else writes while the editor is open: nothing of theirs is lost.
    browser.click(".top a.button");
    browser.await_text("#diagnostics", "nothing is wrong");
    env.write("//- /project/.guild/skills/tidy-notes/SKILL.md\n---\nname: tidy-notes\ndescription: Another\n---\nTheirs, and only theirs.\n");
    browser.click(".answers .main");
    browser.await_text(".notice.bad", "precondition_failed");
    browser.go(&format!("{}/editor", browser.home));
    browser.await_text("h1", "New skill");
    browser.script("document.getElementById('name').value = 'my-skill'", &[]);
    browser.picture("editor-new");
}

#[test]
fn a_run_is_started_on_the_page_and_shown_while_it_goes_on() {
    let env = world();
    env.write(
        r#"
//- /project/.guild/skills/slow/SKILL.md
---
name: slow
description: Takes its time
script: slow.sh
params:
  who: {type: string, required: true}
---
Slow.
//- /project/.guild/skills/slow/slow.sh
printf 'begun for %s \033[2J\n' "$2"
until [ -e /workspace/go-on ]; do sleep 0.1; done
echo ended
"#,
    );
    let served = Served::start(&env, &[]);
    let browser = Reader::enter(&served);
    browser.go(&format!("{}/skills/slow", browser.home));
    browser.write("#param-who", "Ada");
    browser.click("aside section:first-child .main");
    browser.await_text(".notice.warn", "It waits for your approval");
    browser.script("window.stays = true", &[]);
    let waiting = crate::envelope(&env.guild(&["requests", "--json"]).stdout());
    let id = waiting["data"]["requests"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(env.guild(&["approve", &id, "--once"]).code(), Some(0));
    browser.await_text("#output", "begun for Ada \\u{1b}[2J");
    browser.picture("run-going");
    assert!(!browser.text("#output").contains("ended"));
    env.write("//- /project/go-on\n");
    browser.await_text("#output", "ended");
    browser.await_text(".chip.good", "ok");
    assert_eq!(browser.script("return window.stays", &[]), true, "it was not reloaded");
    browser.picture("run-ended");
    // One that nobody wants any more is taken back.
    browser.go(&format!("{}/skills/slow", browser.home));
    browser.write("#param-who", "Bob");
    browser.click("aside section:first-child .main");
    browser.await_text(".notice.warn", "It waits for your approval");
    browser.click("#cancel");
    browser.await_text(".chip.bad", "run_cancelled");
}
