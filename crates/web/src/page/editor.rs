//! The editor: a skill of one's own as text, with what is wrong with it while it is written.
//!
//! What is saved is held to what `guild new` holds skills to, and replaces the file whole or not at all; somebody else's change in
//! between is not lost.

use axum::response::Response;
use guild_engine::catalog::create::{Layout, template};
use guild_engine::reply::New;
use guild_engine::{
    Content, EditRequest, Envelope, NewRequest, OwnText, Owner, Refusal, Status, draft_check, own_text,
    skill_create, skill_update,
};

use super::frame::Tab;
use super::html::{Exact, Html, Url, put};
use super::parts::{chip, problems};
use super::skill::finding_list;
use super::visit::Visit;

/// What a new skill is called until it is named.
const UNNAMED: &str = "my-skill";

/// A form with a skill's text, or with that of a new one.
pub(crate) async fn open(visit: Visit) -> Response {
    let form = match visit.field("skill") {
        None => Form::new(),
        Some(name) => {
            let name = name.to_owned();
            let found = visit.beside(move |premises, hall| {
                own_text(&premises.workshop(hall), &name).map(|text| Form::of(name, text))
            });
            match found.await {
                Ok(Ok(form)) => form,
                Ok(Err(refusal)) | Err(refusal) => return visit.refuse(Tab::Skills, refusal).await,
            }
        }
    };
    form.shown(&visit, None).await
}

/// What is wrong with the text as it is now.
pub(crate) async fn check(visit: Visit) -> Response {
    let form = Form::sent(&visit);
    let checked = form.checked(&visit).await;
    let mut out = Html::default();
    match checked {
        Ok(checked) => put!(out; {diagnostics(&checked)}),
        Err(refusal) => return visit.refuse(Tab::Skills, refusal).await,
    }
    visit.view(Tab::Skills, "Editor", out).await
}

/// Writes it.
pub(crate) async fn save(visit: Visit) -> Response {
    let form = Form::sent(&visit);
    let (hall, premises) = (visit.hall(), visit.premises());
    let workshop = premises.workshop(&hall);
    let saved: Envelope<New<'static>> = match &form.digest {
        Some(digest) => {
            let request = EditRequest { name: &form.name, content: &form.text, expected: digest };
            skill_update(&workshop, &visit.by, &request).await
        }
        None => {
            let request = NewRequest {
                name: &form.name,
                owner: if form.is_users { Owner::User } else { Owner::Project },
                layout: Layout::Directory,
                content: Content::Whole(form.text.as_bytes()),
            };
            skill_create(&workshop, &visit.by, &request).await
        }
    };
    if saved.status == Status::Error {
        return form.shown(&visit, Some(&saved)).await;
    }
    premises.catch_up().await;
    visit.done(&saved, "Saved.", &Url::of(&["skills", &form.name]))
}

/// What stands in the form.
struct Form {
    name: String,
    text: String,
    /// The digest of the file that is changed; nothing where it is a new one.
    digest: Option<String>,
    is_users: bool,
}

impl Form {
    fn new() -> Self {
        Self { name: UNNAMED.to_owned(), text: template(UNNAMED, None), digest: None, is_users: false }
    }

    fn of(name: String, found: OwnText) -> Self {
        Self { name, text: found.text, digest: Some(found.digest), is_users: false }
    }

    fn sent(visit: &Visit) -> Self {
        let text = |name: &str| visit.field(name).unwrap_or_default().to_owned();
        Self {
            name: text("name"),
            // Browsers send lines in a form of their own.
            text: text("content").replace("\r\n", "\n"),
            digest: visit.field("digest").map(str::to_owned),
            is_users: visit.field("scope") == Some("user"),
        }
    }

    async fn checked(&self, visit: &Visit) -> Result<New<'static>, Refusal> {
        let (name, text) = (self.name.clone(), self.text.clone());
        visit.beside(move |_, hall| draft_check(hall, &name, &text)).await
    }

    async fn shown(&self, visit: &Visit, refused: Option<&Envelope<New<'static>>>) -> Response {
        let checked = match self.checked(visit).await {
            Ok(checked) => checked,
            Err(refusal) => return visit.refuse(Tab::Skills, refusal).await,
        };
        let title = if self.digest.is_some() { self.name.as_str() } else { "New skill" };
        let mut out = Html::default();
        put!(out; "<p class=\"crumbs\"><a href=\"/skills\">Skills</a></p><h1>" {title} "</h1>");
        if let Some(refused) = refused {
            put!(out; "<p class=\"notice bad\" role=\"alert\">" {refused.message} " (" {refused.code.as_str()} ")</p>");
        }
        put!(out; {visit.form(&Url::of(&["editor"]))} "<div class=\"editor\" data-check=\"/editor/check\"><div>" {self.head()}
            "<label for=\"content\">SKILL.md</label><textarea id=\"content\" name=\"content\" rows=\"28\" spellcheck=\"false\" autocomplete=\"off\">" "\n" {Exact(&self.text)}
            "</textarea><div class=\"answers\"><button class=\"main\">Save</button><button formaction=\"/editor/check\">Check</button></div></div>"
            "<aside aria-label=\"Diagnostics\">" {diagnostics(&checked)} "</aside></div></form>");
        visit.view(Tab::Skills, title, out).await
    }

    fn head(&self) -> Html {
        let mut out = Html::default();
        if let Some(digest) = &self.digest {
            put!(out; "<input type=\"hidden\" name=\"name\" value=\"" {Exact(&self.name)} "\"><input type=\"hidden\" name=\"digest\" value=\"" {digest} "\">");
            return out;
        }
        let checked = |is_so: bool| if is_so { " checked" } else { "" };
        put!(out; "<div class=\"fields\"><div class=\"wide\"><label for=\"name\">Name</label><input id=\"name\" name=\"name\" required autocomplete=\"off\" spellcheck=\"false\" value=\"" {self.name}
            "\"></div></div><fieldset class=\"plain\"><legend>For</legend><label><input type=\"radio\" name=\"scope\" value=\"project\"");
        out.markup(checked(!self.is_users));
        out.markup("> this project</label> <label><input type=\"radio\" name=\"scope\" value=\"user\"");
        out.markup(checked(self.is_users));
        out.markup("> me, in every project</label></fieldset>");
        out
    }
}

fn diagnostics(checked: &New<'_>) -> Html {
    let mut out = Html::default();
    let count = checked.problems.len() + checked.findings.len();
    put!(out; "<div id=\"diagnostics\" role=\"status\"><h2>Diagnostics ");
    if count == 0 {
        put!(out; {chip("good", "nothing is wrong")} "</h2></div>");
        return out;
    }
    put!(out; "<span class=\"count warn\">" {count} "</span></h2>" {problems(&checked.problems)});
    if !checked.findings.is_empty() {
        put!(out; {finding_list(&checked.findings)});
    }
    out.markup("</div>");
    out
}
