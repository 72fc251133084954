//! The page as browsers meet it over plain HTTP: who gets in, and what it takes to change something.

pub(crate) mod browser;

use crate::env;
use crate::serve::{SKILLS, Served};
use browser::Visitor;

#[test]
fn a_link_opens_the_page_once() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut visitor = Visitor::stranger(&served);
    let closed = visitor.get("/");
    assert_eq!(closed.head.status, 401);
    assert!(closed.body.contains("guild login"), "{}", closed.body);
    // A program that looks at links uses none up.
    assert_eq!(visitor.send("HEAD", &visitor.link(), &[], "").head.status, 204);
    let guess = visitor.send("GET", &visitor.link(), &[("sec-purpose", "prefetch;prerender")], "");
    assert_eq!(guess.head.status, 204);
    let entered = visitor.get(&visitor.link());
    assert_eq!((entered.head.status, entered.head.header("location")), (303, Some("/")));
    let cookie = entered.head.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    visitor.keep(cookie);
    assert_ne!(visitor.get("/").head.status, 401);
    let again = Visitor::stranger(&served).get(&visitor.link());
    assert_eq!(again.head.status, 401);
    assert!(again.body.contains("this link was used before"), "{}", again.body);
    // Another link is made by whoever may read this person's files, and by nobody else.
    let link = env.guild(&["login"]).stdout();
    let mut other = Visitor::by(&served, link.trim());
    other.enter();
    assert_ne!(other.get("/").head.status, 401);
    for wrong in ["/login", "/login?link=", "/login?link=1.2.3"] {
        assert_eq!(Visitor::stranger(&served).get(wrong).head.status, 401, "{wrong}");
    }
}

#[test]
fn a_change_takes_the_pages_own_token_and_origin() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut visitor = Visitor::stranger(&served);
    visitor.enter();
    let own = format!("http://{}", visitor.host());
    let token = visitor.token();
    let leave = |origin: Option<&str>, body: &str| visitor.post("/logout", origin, body);
    let told = |answer: crate::serve::wire::Answer| answer.head.status;
    assert_eq!(told(leave(Some(&own), "")), 403);
    assert_eq!(told(leave(Some(&own), "csrf-token=0")), 403);
    assert_eq!(told(leave(None, &format!("csrf-token={token}"))), 403);
    assert_eq!(told(leave(Some("http://evil.example"), &format!("csrf-token={token}"))), 403);
    let foreign_port = "http://guild.localhost:1";
    assert_eq!(told(leave(Some(foreign_port), &format!("csrf-token={token}"))), 403);
    assert!(leave(Some(&own), "").body.contains("csrf_token_invalid"));
    assert_ne!(visitor.get("/").head.status, 401);
    assert_eq!(told(leave(Some(&own), &format!("csrf-token={token}"))), 303);
    assert_eq!(visitor.get("/").head.status, 401);
}

#[test]
fn a_page_allows_nothing_that_is_not_its_own() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut visitor = Visitor::stranger(&served);
    visitor.enter();
    let views =
        ["/", "/skills", "/skills/greet", "/runs", "/changes", "/plugins", "/sources", "/agents", "/doctor"];
    for path in views {
        let page = visitor.get(path);
        assert_eq!(page.head.status, 200, "{path}: {}", page.body);
        let policy = page.head.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(page.head.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(page.head.header("cache-control"), Some("no-store"));
        for forbidden in ["<style", " style=", " onclick", "javascript:", "src=\"http", "href=\"http"] {
            assert!(!page.body.contains(forbidden), "{path} has {forbidden}");
        }
        assert_eq!(page.body.matches("<script").count(), 1, "{path}");
        let size = page.body.len() + visitor.assets(&page.body);
        assert!(size < 100_000, "{path} takes {size} bytes");
    }
    assert!(visitor.get("/nowhere").body.starts_with("<!doctype html>"));
    for gone in ["/nowhere", "/skills/none", "/runs/rcp_0", "/changes/chg_0", "/plugins/none"] {
        assert_eq!(visitor.get(gone).head.status, 404, "{gone}");
    }
}

#[test]
fn agents_have_no_page() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let (_, secret) = crate::serve::token(&env, "writer");
    let ask = format!(
        "GET / HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\nauthorization: Bearer {secret}\r\n\r\n"
    );
    let answer = served.ask(&ask).unwrap();
    assert_eq!(answer.head.status, 403);
    assert!(answer.body.contains("the page is for people"), "{}", answer.body);
}

const HOSTILE: &str = r#"
//- /home/.config/guild/config.toml
builtins = false
//- /project/.git/
//- /project/.guild/skills/evil/SKILL.md
---
name: evil
description: "<script>window.hacked = 1</script> \"><img src=x onerror=\"window.hacked=1\"> \e[2J BIDI end"
when_to_use: "</p><script>alert(1)</script>"
script: run.sh
params:
  "x": {type: string, description: "<b onclick=alert(1)>BIDI</b>"}
---
# <script>window.hacked = 1</script>

<img src=x onerror=window.hacked=1> and [a link](javascript:window.hacked=1) and ![p](https://203.0.113.7/p.png)

<iframe src="https://203.0.113.7/"></iframe>

`</code><script>window.hacked = 1</script>` ESC BIDI
//- /project/.guild/skills/evil/run.sh
echo '<script>window.hacked = 1</script>'
//- /project/.guild/skills/evil/<b>name.md
<svg onload=alert(1)>
//- /project/.guild/skills/sly/SKILL.md
---
name: sly
description: "<script>window.hacked = 1</script>"
script: run.sh
params:
  "x": {type: string}
---
# <script>window.hacked = 1</script>
//- /project/.guild/skills/sly/run.sh
echo '<script>window.hacked = 1</script>'
//- /project/.guild/skills/huge/SKILL.md
---
name: huge
description: HUGE
---
HUGE
"#;

/// A world in which every field of a skill is hostile.
pub fn hostile() -> String {
    let huge = "W<i>".repeat(20_000);
    HOSTILE
        .replace("ESC", "\u{1b}[2J\u{1b}]0;owned\u{7}")
        .replace("BIDI", "\u{202e}txet\u{202c}\u{200b}")
        .replace("HUGE", &huge)
}

#[test]
fn whatever_a_skill_says_is_shown_as_text() {
    let env = env(&hostile());
    let served = Served::start(&env, &[]);
    let mut visitor = Visitor::stranger(&served);
    visitor.enter();
    let asked = env.guild(&[
        "run",
        "sly",
        "--agent",
        "<u>writer",
        "--param",
        "x=</pre><script>alert(1)</script>\u{202e}",
    ]);
    assert_eq!(asked.code(), Some(3), "{asked}");
    for path in [
        "/",
        "/skills",
        "/skills?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/skills/evil",
        "/skills/sly",
        "/skills/huge",
        "/runs",
        "/agents",
        "/skills/%3Cscript%3E",
    ] {
        let page = visitor.get(path).body;
        assert_eq!(page.matches("<script").count(), 1, "{path}");
        for forbidden in [
            "<img",
            "<iframe",
            "<svg onload",
            "<b onclick",
            "<u>",
            "<b>name",
            "<i>",
            "\u{202e}",
            "\u{200b}",
            "\u{1b}",
            "\u{7}",
        ] {
            assert!(!page.contains(forbidden), "{path} has {forbidden:?}");
        }
        assert!(!page.contains("href=\"javascript:"), "{path}");
        assert!(page.len() < 400_000, "{path} takes {} bytes", page.len());
    }
    let waits = visitor.get("/").body;
    for truth in ["&lt;u&gt;writer", "\\u{202e}", "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;"] {
        assert!(waits.contains(truth), "{truth}\n{waits}");
    }
}

#[test]
fn a_session_may_use_the_interface_for_programs_too_with_the_pages_token() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut visitor = Visitor::stranger(&served);
    visitor.enter();
    let (own, token) = (format!("http://{}", visitor.host()), visitor.token());
    assert_eq!(visitor.get("/api/v1/skills").head.status, 200);
    let put = |headers: &[(&str, &str)]| {
        visitor.send("PUT", "/api/v1/skills/greet/enabled", headers, "{\"enabled\": false}")
    };
    let (origin, json) = (("origin", own.as_str()), ("content-type", "application/json"));
    assert_eq!(put(&[origin, json]).told(), "403 csrf_token_invalid");
    assert_eq!(put(&[json, ("x-csrf-token", &token)]).told(), "403 csrf_token_invalid");
    assert_eq!(put(&[origin, json, ("x-csrf-token", &token)]).told(), "200 ok");
    // Nobody is shown a page who would not read one.
    let stranger = served
        .ask("GET /api/v1/skills HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n")
        .unwrap();
    assert_eq!(stranger.told(), "401 not_authenticated");
}
