//! Labels that say which process made a container, and the removal of those whose maker is gone.
//!
//! A container dies with its maker, but a killed maker cannot remove it. Processes are told apart by number and start within one boot and
//! one namespace of processes; of containers from elsewhere only those are touched that have ended.

use std::fs;

use serde_json::Value;

use super::connection::Connection;
use super::living;
use crate::embedded::Owner;

/// The label that names the process.
const OWNER: &str = "guild.owner";
/// The label that names the boot and the namespace that the process is in.
const WORLD: &str = "guild.world";

/// The labels of a container that this process makes.
pub(super) fn labels() -> Vec<(&'static str, String)> {
    let owner = Owner::current().map(|owner| owner.name(0)).unwrap_or_default();
    vec![(OWNER, owner), (WORLD, world())]
}

/// Removes what processes that are gone have left. Whatever goes wrong is tried again at the next start.
pub(super) async fn reap(connection: &Connection) {
    let Ok(containers) = connection.ask(&format!("/containers/json?all=true&filters={FILTERS}")).await else {
        return;
    };
    let here = world();
    for container in containers.as_array().into_iter().flatten() {
        if let Some(id) = container.get("Id").and_then(Value::as_str).filter(|_| is_left(container, &here)) {
            let _ = living::remove(&connection.client, id).await;
        }
    }
}

/// `{"label":["guild.owner"]}`, as a query has it.
const FILTERS: &str = "%7B%22label%22%3A%5B%22guild.owner%22%5D%7D";

fn is_left(container: &Value, here: &str) -> bool {
    let label = |name: &str| container.get("Labels")?.get(name)?.as_str();
    let Some(owner) = label(OWNER) else { return false };
    if label(WORLD) == Some(here) {
        return Owner::of(owner).is_some_and(|owner| !owner.alive());
    }
    // Podman tells those that it has cleaned up from those that it has not.
    matches!(container.get("State").and_then(Value::as_str), Some("exited" | "stopped"))
}

/// This boot and this namespace of processes.
fn world() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let processes = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{} {}", boot.trim(), processes.display())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[track_caller]
    fn check(labels: &[(&str, &str)], state: &str, expected: bool) {
        let labels: BTreeMap<&str, &str> = labels.iter().copied().collect();
        let container = serde_json::json!({ "Id": "1", "Labels": labels, "State": state });
        assert_eq!(is_left(&container, "here"), expected, "{labels:?} {state}");
    }

    #[test]
    fn a_container_is_left_when_its_maker_is_gone() {
        let mine = Owner::current().unwrap().name(0);
        check(&[(OWNER, &mine), (WORLD, "here")], "running", false);
        check(&[(OWNER, &mine), (WORLD, "here")], "created", false);
        check(&[(OWNER, "guild-1-1-0"), (WORLD, "here")], "running", true);
        check(&[(OWNER, "guild-1-1-0"), (WORLD, "here")], "created", true);
    }

    #[test]
    fn a_container_from_elsewhere_is_left_when_it_has_ended() {
        check(&[(OWNER, "guild-1-1-0"), (WORLD, "there")], "running", false);
        check(&[(OWNER, "guild-1-1-0"), (WORLD, "there")], "created", false);
        check(&[(OWNER, "guild-1-1-0"), (WORLD, "there")], "exited", true);
        check(&[(OWNER, "guild-1-1-0"), (WORLD, "there")], "stopped", true);
    }

    #[test]
    fn containers_that_are_not_ours_are_left_alone() {
        check(&[("other", "label")], "exited", false);
        check(&[(OWNER, "nonsense"), (WORLD, "here")], "exited", false);
    }
}
