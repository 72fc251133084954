//! Limits of a run, each with its bounds. One outside its bounds is refused, not cut down in silence.

use crate::skill::text_of;
use crate::tree::{Map, parse_float};
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

/// Reads `timeout_seconds` at the top level, and the rest from `limits:` there or under `capabilities:`.
pub fn read(map: &Map, problems: &mut Vec<Problem>) -> Limits {
    let empty = Map::default();
    let below = |map: &'_ Map, key: &str| map.get(key).and_then(|node| node.as_map()).cloned();
    let section =
        below(map, "capabilities").and_then(|map| below(&map, "limits")).or_else(|| below(map, "limits"));
    let section = section.as_ref().unwrap_or(&empty);
    let timeout = whole(map, "timeout_seconds", (1, 86_400), problems);
    Limits {
        timeout_seconds: timeout.or_else(|| whole(section, "timeout_seconds", (1, 86_400), problems)),
        memory_mb: whole(section, "memory_mb", (16, 1_048_576), problems),
        processes: whole(section, "processes", (1, 32_768), problems),
        output_bytes: whole(section, "output_bytes", (1_024, 1_073_741_824), problems),
        cpu_millis: number(section, "cpus", (0.01, 1_024.0), problems).map(thousandths),
    }
}

fn whole(map: &Map, key: &str, bounds: (u32, u32), problems: &mut Vec<Problem>) -> Option<u32> {
    let text = text_of(map, key, problems)?;
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
    let text = text_of(map, key, problems)?;
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
