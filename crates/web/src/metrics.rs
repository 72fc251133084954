//! What happens here, in numbers that Prometheus reads: counted while requests pass, and looked up when somebody asks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use guild_engine::ledger::Tally;
use guild_engine::{Premises, Refusal, requests};

/// The upper bounds of how long an answer took, in seconds.
const BOUNDS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The format's name.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What was counted since the server began.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    answers: Mutex<BTreeMap<Kind, Times>>,
    receipts: Mutex<Receipts>,
}

/// Answers that are counted together: method, route and status.
type Kind = (String, String, u16);

#[derive(Debug, Clone, Default)]
struct Times {
    count: u64,
    seconds: f64,
    /// How many took at most as long as each bound says.
    within: [u64; BOUNDS.len()],
}

/// Receipts by kind and code, as far as they were counted; the rest is counted when somebody asks.
#[derive(Debug, Default)]
struct Receipts {
    last: u64,
    counts: BTreeMap<(String, String), u64>,
}

impl Metrics {
    /// Counts an answer.
    pub(crate) fn count(&self, method: &str, route: &str, status: u16, took: Duration) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let times = answers.entry((method.to_owned(), route.to_owned(), status)).or_default();
        times.count += 1;
        times.seconds += took.as_secs_f64();
        for (within, bound) in times.within.iter_mut().zip(BOUNDS) {
            *within += u64::from(took.as_secs_f64() <= bound);
        }
    }

    /// Everything, as text.
    pub(crate) async fn told(self: Arc<Self>, premises: Arc<Premises>) -> Result<Response, Refusal> {
        let waiting = requests(&premises.books, premises.now()).await.data.count;
        let after = self.receipts.lock().unwrap_or_else(PoisonError::into_inner).last;
        let tallies = premises.tally(after).await?;
        let mut text = String::new();
        self.answers(&mut text);
        self.receipts(&mut text, after, tallies);
        house(&mut text, &premises, waiting);
        Ok(([(CONTENT_TYPE, FORMAT)], text).into_response())
    }

    fn answers(&self, text: &mut String) {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        head(
            text,
            "guild_http_request_duration_seconds",
            "histogram",
            "How long answers took, by route and status.",
        );
        for ((method, route, status), times) in &answers {
            let name = "guild_http_request_duration_seconds";
            let labels =
                format!("method=\"{}\",route=\"{}\",status=\"{status}\"", label(method), label(route));
            for (within, bound) in times.within.iter().zip(BOUNDS) {
                line(text, &format!("{name}_bucket{{{labels},le=\"{bound}\"}}"), *within);
            }
            line(text, &format!("{name}_bucket{{{labels},le=\"+Inf\"}}"), times.count);
            line(text, &format!("{name}_sum{{{labels}}}"), times.seconds);
            line(text, &format!("{name}_count{{{labels}}}"), times.count);
        }
        head(text, "guild_http_requests_total", "counter", "Requests, by route and status.");
        for ((method, route, status), times) in &answers {
            let labels =
                format!("method=\"{}\",route=\"{}\",status=\"{status}\"", label(method), label(route));
            line(text, &format!("guild_http_requests_total{{{labels}}}"), times.count);
        }
    }

    fn receipts(&self, text: &mut String, after: u64, tallies: Vec<Tally>) {
        let mut receipts = self.receipts.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have counted the same in the meantime.
        if receipts.last == after {
            for tally in tallies {
                receipts.last = receipts.last.max(tally.last);
                *receipts.counts.entry((tally.kind, tally.code)).or_default() += tally.count;
            }
        }
        head(
            text,
            "guild_receipts_total",
            "counter",
            "Receipts of this installation: runs, loads, decisions, denials.",
        );
        for ((kind, code), count) in &receipts.counts {
            line(
                text,
                &format!("guild_receipts_total{{kind=\"{}\",code=\"{}\"}}", label(kind), label(code)),
                count,
            );
        }
        let of = |wanted: &str| {
            receipts
                .counts
                .iter()
                .filter(|((kind, _), _)| kind == wanted)
                .map(|(_, count)| count)
                .sum::<u64>()
        };
        head(text, "guild_runs_total", "counter", "Runs that have begun.");
        line(text, "guild_runs_total", of("started"));
        head(text, "guild_denials_total", "counter", "Runs and decisions that were refused.");
        line(text, "guild_denials_total", of("denied"));
    }
}

fn house(text: &mut String, premises: &Premises, waiting: usize) {
    let hall = premises.hall();
    let gauges: [(&str, &str, usize); 5] = [
        ("guild_runs_under_way", "Runs that the server has under way.", premises.jobs.under_way()),
        ("guild_approvals_pending", "Requests that wait for a person.", waiting),
        ("guild_skills", "Skills that load.", hall.snapshot.skills.len()),
        ("guild_skills_broken", "Skills that a problem keeps out.", hall.snapshot.broken.len()),
        ("guild_plugins", "Plugins that load.", hall.snapshot.plugins.len()),
    ];
    for (name, about, value) in gauges {
        head(text, name, "gauge", about);
        line(text, name, value);
    }
    head(text, "guild_snapshot_info", "gauge", "The version of what was found.");
    line(text, &format!("guild_snapshot_info{{version=\"{}\"}}", hall.snapshot.version), 1);
    if let Some(bytes) = resident_bytes() {
        head(text, "process_resident_memory_bytes", "gauge", "Memory that the process holds.");
        line(text, "process_resident_memory_bytes", bytes);
    }
}

/// What the kernel says that this process holds, where it says so.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1_024)
}

fn head(text: &mut String, name: &str, kind: &str, about: &str) {
    write!(text, "# HELP {name} {about}\n# TYPE {name} {kind}\n").ok();
}

fn line(text: &mut String, what: &str, value: impl std::fmt::Display) {
    writeln!(text, "{what} {value}").ok();
}

/// A text as the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn answers_are_counted_by_route_and_status() {
        let metrics = Metrics::default();
        metrics.count("GET", "/api/v1/skills", 200, Duration::from_millis(4));
        metrics.count("GET", "/api/v1/skills", 200, Duration::from_secs(60));
        metrics.count("GET", "/a\"b\\", 404, Duration::ZERO);
        let mut text = String::new();
        metrics.answers(&mut text);
        let total: String = text
            .lines()
            .filter(|line| line.contains("requests_total{") || line.contains("skills\",status=\"200\",le="))
            .map(|line| format!("{line}\n"))
            .collect();
        expect![[r#"
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="0.001"} 0
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="0.005"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="0.01"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="0.05"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="0.1"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="0.5"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="1"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="5"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="30"} 1
            guild_http_request_duration_seconds_bucket{method="GET",route="/api/v1/skills",status="200",le="+Inf"} 2
            guild_http_requests_total{method="GET",route="/a\"b\\",status="404"} 1
            guild_http_requests_total{method="GET",route="/api/v1/skills",status="200"} 2
        "#]].assert_eq(&total);
    }
}
