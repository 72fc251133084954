//! The description of a container as Podman takes it, in the words of its own API.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{MASKED, MemoryPlace, PERIOD, Plan};
use crate::engines::binds::Bind;
use crate::engines::facts::Facts;
use crate::engines::first;
use crate::policy::Network;

/// The container that Podman is to create. `filter` is the file that has its system calls.
pub(in crate::engines) fn description(plan: &Plan, facts: &Facts, filter: &Path) -> Value {
    let labels: Map<String, Value> =
        plan.labels.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let mut description = json!({
        "image": plan.image,
        "hostname": plan.hostname,
        "user": plan.first_user(),
        "entrypoint": [format!("/{}", first::PATH)],
        "command": [],
        "work_dir": "/",
        "env": {},
        "unsetenvall": true,
        "httpproxy": false,
        "labels": labels,
        "stdin": true,
        "terminal": false,
        "stop_signal": 9,
        "systemd": "false",
        "init": false,
        "image_volume_mode": "ignore",
        "log_configuration": { "driver": "none" },
        "netns": { "nsmode": if plan.network == Network::Host { "host" } else { "none" } },
        "ipcns": { "nsmode": if plan.shared_memory.is_some() { "private" } else { "none" } },
        "pidns": { "nsmode": "private" },
        "utsns": { "nsmode": "private" },
        "cgroupns": { "nsmode": "private" },
        "read_only_filesystem": true,
        "read_write_tmpfs": false,
        "use_image_hosts": true,
        "use_image_resolve_conf": plan.network == Network::None,
        "manage_password": false,
        "privileged": false,
        "cap_drop": ["all"],
        "no_new_privileges": true,
        "seccomp_profile_path": filter,
        "mask": MASKED,
        "shm_size": plan.shared_memory,
        "mounts": mounts(plan),
        "resource_limits": resources(plan),
        "r_limits": rlimits(plan),
    });
    if facts.rootless {
        // The person who runs Podman is the container's user, whose files the mounts are.
        let user = plan.user;
        let mapped = json!({ "nsmode": "keep-id", "value": format!("uid={user},gid={user}") });
        if let Some(fields) = description.as_object_mut() {
            fields.insert("userns".to_owned(), mapped);
        }
    }
    description
}

fn mounts(plan: &Plan) -> Vec<Value> {
    plan.memory_places.iter().map(memory).chain(plan.binds.iter().map(bind)).collect()
}

/// Whatever the image has at the place stays there: nothing is copied up. Podman takes no number of files, so that memory alone is their
/// limit.
fn memory(place: &MemoryPlace) -> Value {
    let size = format!("size={}", place.size);
    json!({
        "destination": place.target,
        "type": "tmpfs",
        "source": "tmpfs",
        "options": ["rw", "exec", "nosuid", "nodev", "notmpcopyup", "mode=1777", size],
    })
}

fn bind(bind: &Bind) -> Value {
    let access = if bind.writable { "rw" } else { "ro" };
    json!({
        "destination": bind.target,
        "type": "bind",
        "source": bind.source,
        "options": ["bind", access, "nosuid", "nodev", "private"],
    })
}

fn resources(plan: &Plan) -> Value {
    let mut resources = Map::new();
    if let Some(memory) = plan.limits.memory {
        resources.insert("memory".to_owned(), json!({ "limit": memory, "swap": memory }));
    }
    if let Some(quota) = plan.limits.cpu {
        resources.insert("cpu".to_owned(), json!({ "period": PERIOD, "quota": quota }));
    }
    if let Some(pids) = plan.limits.pids {
        resources.insert("pids".to_owned(), json!({ "limit": pids }));
    }
    Value::Object(resources)
}

fn rlimits(plan: &Plan) -> Vec<Value> {
    let limit =
        |limit: &super::Rlimit| json!({ "type": limit.name, "soft": limit.value, "hard": limit.value });
    plan.rlimits.iter().map(limit).collect()
}
