//! Runs that a person has started here: what they wait for, what they print while they go on, and what came of them.

use std::time::Duration;

use axum::extract::Path;
use axum::response::Response;
use guild_engine::reply::{Detail, Run, RunJob};
use guild_engine::{
    Envelope, Given, Job, JobNote, JobRequest, Jobs, Status, command_line, job_cancel, jobs_list,
};

use super::frame::Tab;
use super::html::{Exact, Html, Url, put};
use super::parts::{chip, fact, when};
use super::visit::Visit;

/// How long a run waits for its approval.
const PATIENCE: Duration = Duration::from_secs(60 * 60);
/// What names a parameter's field.
const FIELD: &str = "param-";

/// Starts a run of a skill.
pub(crate) async fn start(Path(name): Path<String>, visit: Visit) -> Response {
    let texts = visit.fields().filter_map(|(field, value)| {
        let name = field.strip_prefix(FIELD)?;
        (!value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
    });
    let request = JobRequest {
        given: Given { texts: texts.collect(), ..Given::default() },
        arguments: visit
            .field("arguments")
            .into_iter()
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect(),
        skill: name.clone(),
        principal: visit.by.clone(),
        wait: Some(PATIENCE),
        timeout: None,
        dry_run: false,
    };
    match Jobs::start(&visit.shared(), request) {
        Ok(job) => visit.told(true, format!("{name} was started."), &Url::of(&["jobs", &job.id])),
        Err(refusal) => visit.told(false, refusal.message, &Url::of(&["skills", &name])),
    }
}

/// How far a run is.
pub(crate) async fn show(Path(id): Path<String>, visit: Visit) -> Response {
    let job = match visit.premises().jobs.find(&visit.by, &id) {
        Ok(job) => job,
        Err(refusal) => return visit.refuse(Tab::Runs, refusal).await,
    };
    let line = job.line();
    let mut out = Html::default();
    put!(out; "<p class=\"crumbs\"><a href=\"/runs\">Runs</a></p><div");
    if !job.has_ended() {
        put!(out; " data-job=\"" {Url::of(&["api", "v1", "runs", &id, "events"])} "\"");
    }
    put!(out; " data-live><div class=\"top\"><h1>" {line.skill} "</h1> " {state(&line)} "</div><p class=\"dim\">started " {when(&line.at)} "</p>");
    if line.state == "waits" {
        put!(out; "<p class=\"notice warn\">It waits for your approval. <a href=\"/\">Look at what is asked</a></p>");
    }
    put!(out; {printed(&job)});
    match job.outcome() {
        Some(ended) => put!(out; {outcome(&ended)}),
        None => {
            put!(out; {visit.form(&Url::of(&["jobs", &id]))} "<div class=\"answers\"><button class=\"danger\" id=\"cancel\">Cancel</button></div></form>");
        }
    }
    out.markup("</div>");
    visit.view(Tab::Runs, &line.skill, out).await
}

/// Takes a run back.
pub(crate) async fn cancel(Path(id): Path<String>, visit: Visit) -> Response {
    let cancelled = job_cancel(visit.premises(), &visit.by, &id).await;
    visit.done(&cancelled, "Cancelled.", &Url::of(&["jobs", &id]))
}

/// The runs that have not ended.
pub(crate) fn under_way(visit: &Visit) -> Html {
    let mut out = Html::default();
    let jobs = jobs_list(visit.premises(), &visit.by).data.runs;
    let going: Vec<&RunJob> = jobs.iter().filter(|job| job.code.is_none()).collect();
    if going.is_empty() {
        return out;
    }
    put!(out; "<h2>Under way <span class=\"count\">" {going.len()} "</span></h2><ul class=\"rows\">");
    for job in going {
        put!(out; "<li><div class=\"what\"><a href=\"" {Url::of(&["jobs", &job.id])} "\">" {job.skill} "</a> " {state(job)} "<p class=\"dim\">started " {when(&job.at)} "</p></div></li>");
    }
    out.markup("</ul><h2>Receipts</h2>");
    out
}

/// A form that runs a skill.
pub(crate) fn form(begin: &Html, skill: &Detail<'_>) -> Html {
    let mut out = Html::default();
    if !skill.summary.enabled || !skill.summary.eligible {
        return out;
    }
    put!(out; "<section class=\"card\"><h2>Run it</h2>" {begin});
    for param in &skill.params {
        put!(out; "<p><label for=\"" {FIELD} {param.name} "\">" {param.name} " <span class=\"dim\">" {param.kind} "</span></label><input id=\"" {FIELD} {param.name} "\" name=\"" {FIELD} {Exact(param.name)} "\" autocomplete=\"off\"");
        if param.required {
            out.markup(" required");
        }
        out.markup("></p>");
    }
    put!(out; "<div class=\"answers\"><button class=\"main\">Run</button></div><p class=\"dim\">What nobody has approved waits among the approvals first.</p></form></section>");
    out
}

fn state(job: &RunJob) -> Html {
    match (job.state, job.code) {
        (_, Some("ok")) => chip("good", "ok"),
        (_, Some(code)) => chip("bad", code),
        ("waits", _) => chip("warn", "waits"),
        (state, _) => chip("", state),
    }
}

/// What it has printed so far, both streams in the order in which they came.
fn printed(job: &Job) -> Html {
    let mut out = Html::default();
    let notes = job.notes(0);
    let mut lines = Html::default();
    let mut is_empty = true;
    for note in &notes {
        match note {
            JobNote::Output { stream: "stderr", text } => {
                put!(lines; "<span class=\"err\">" {text} "</span>");
            }
            JobNote::Output { text, .. } => put!(lines; {text}),
            JobNote::Overflow => put!(lines; {"\n[more than is shown here]\n"}),
            JobNote::Waits { .. } | JobNote::Runs | JobNote::Ended(_) => continue,
        }
        is_empty = false;
    }
    if !is_empty {
        put!(out; "<h2>Output</h2><pre class=\"output\" id=\"output\" tabindex=\"0\">" {lines} "</pre>");
    }
    out
}

fn outcome(ended: &Envelope<Run>) -> Html {
    let mut out = Html::default();
    let data = &ended.data;
    if ended.status == Status::Error {
        put!(out; "<p class=\"notice bad\">" {ended.message} "</p>");
    }
    put!(out; "<dl class=\"facts card\">" {fact("exit code", &data.exit_code.to_string())} {fact("took", &format!("{} ms", data.wall_time_ms))});
    if let Some(plan) = &data.plan {
        put!(out; "<div><dt>command</dt><dd><code>" {command_line(&plan.command)} "</code></dd></div>");
    }
    if let Some(receipt) = &data.receipt {
        put!(out; "<div><dt>receipt</dt><dd><a href=\"" {Url::of(&["runs", receipt])} "\">" {receipt} "</a></dd></div>");
    }
    for set in &data.changes {
        put!(out; "<div><dt>changes</dt><dd><a href=\"" {Url::of(&["changes", &set.id])} "\">" {set.id} "</a></dd></div>");
    }
    out.markup("</dl>");
    out
}
