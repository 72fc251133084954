//! The page as browsers meet it over plain HTTP: who gets in, and what it takes to change something.

mod browser;

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
    assert_ne!(visitor.get("/").head.status, 401);
    assert_eq!(told(leave(Some(&own), &format!("csrf-token={token}"))), 303);
    assert_eq!(visitor.get("/").head.status, 401);
}
