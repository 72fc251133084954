//! Limits of a run, each with its bounds. One outside its bounds is refused, not cut down in silence.

use super::{section, word_of};
use crate::skill::keys;
use crate::tree::{Map, Node, parse_float};
use crate::{Code, Pos, Problem};
use serde::{Deserialize, Serialize};

/// What a run may use; `None` means the default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time.
    pub timeout_seconds: Option<u32>,
    /// Memory in megabytes.
    pub memory_mb: Option<u32>,
    /// Processes and threads at once.
    pub processes: Option<u32>,
    /// Kept bytes of each output stream.
    pub output_bytes: Option<u32>,
    /// Processors, in thousandths.
    pub cpu_millis: Option<u32>,
}

const TIMEOUT: (u32, u32) = (1, 86_400);

/// Reads `timeout_seconds` at the top level, and the rest from `limits:` there or under `capabilities:`.
pub fn read(map: &Map, problems: &mut Vec<Problem>) -> Limits {
    let mut limits =
        Limits { timeout_seconds: whole(map, "timeout_seconds", TIMEOUT, problems), ..Limits::default() };
    let inner = map.get("capabilities").and_then(Node::as_map);
    for parent in inner.into_iter().chain([map]) {
        if let Some(section) = section(parent, "limits", problems) {
            limits.fill(section, problems);
        }
    }
    limits
}

impl Limits {
    /// Takes from a section what is not stated yet.
    fn fill(&mut self, section: &Map, problems: &mut Vec<Problem>) {
        const KEYS: &[&str] = &["timeout_seconds", "memory_mb", "processes", "output_bytes", "cpus"];
        keys::check_section(section, "limits", KEYS, problems);
        let timeout = whole(section, "timeout_seconds", TIMEOUT, problems);
        let memory = whole(section, "memory_mb", (16, 1_048_576), problems);
        let processes = whole(section, "processes", (1, 32_768), problems);
        let output = whole(section, "output_bytes", (1_024, 1_073_741_824), problems);
        let cpus = number(section, "cpus", (0.01, 1_024.0), problems).map(thousandths);
        self.timeout_seconds = self.timeout_seconds.or(timeout);
        self.memory_mb = self.memory_mb.or(memory);
        self.processes = self.processes.or(processes);
        self.output_bytes = self.output_bytes.or(output);
        self.cpu_millis = self.cpu_millis.or(cpus);
    }
}

fn whole(map: &Map, key: &str, bounds: (u32, u32), problems: &mut Vec<Problem>) -> Option<u32> {
    let text = word_of(map, key, problems)?;
    let value = text.parse::<u32>().ok().filter(|value| (bounds.0..=bounds.1).contains(value));
    if value.is_none() {
        problems.push(out_of_bounds(
            map,
            key,
            &text,
            &format!("a whole number from {} to {}", bounds.0, bounds.1),
        ));
    }
    value
}

fn number(map: &Map, key: &str, bounds: (f64, f64), problems: &mut Vec<Problem>) -> Option<f64> {
    let text = word_of(map, key, problems)?;
    let value = parse_float(&text).filter(|value| (bounds.0..=bounds.1).contains(value));
    if value.is_none() {
        problems.push(out_of_bounds(map, key, &text, &format!("a number from {} to {}", bounds.0, bounds.1)));
    }
    value
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value lies between 0.01 and 1024"
)]
fn thousandths(value: f64) -> u32 {
    (value * 1_000.0).round() as u32
}

fn out_of_bounds(map: &Map, key: &str, text: &str, wanted: &str) -> Problem {
    let at = map.get(key).map_or(Pos::START, |node| node.at);
    Problem::new(Code::LimitOutOfBounds, at, format!("`{key}` is `{text}`"), format!("use {wanted}"))
}
