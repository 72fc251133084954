//! The description of a container as Docker takes it.

use std::collections::HashMap;

use bollard::models::{
    ContainerCreateBody, HostConfig, HostConfigCgroupnsModeEnum, HostConfigLogConfig, Mount,
    MountBindOptions, MountBindOptionsPropagationEnum, MountType, MountVolumeOptions,
    MountVolumeOptionsDriverConfig, ResourcesUlimits,
};

use super::{INODES, MASKED, MemoryPlace, PERIOD, Plan, READ_ONLY};
use crate::engines::binds::Bind;
use crate::engines::first;
use crate::policy::Network;
use crate::seccomp;

/// The container that Docker is to create.
pub(in crate::engines) fn description(plan: &Plan) -> ContainerCreateBody {
    ContainerCreateBody {
        image: Some(plan.image.clone()),
        hostname: Some(plan.hostname.clone()),
        user: Some(plan.first_user()),
        entrypoint: Some(vec![format!("/{}", first::PATH)]),
        cmd: Some(Vec::new()),
        working_dir: Some("/".to_owned()),
        env: Some(Vec::new()),
        labels: Some(labels(plan)),
        open_stdin: Some(true),
        stdin_once: Some(true),
        attach_stdin: Some(true),
        network_disabled: Some(plan.network == Network::None),
        stop_signal: Some("SIGKILL".to_owned()),
        host_config: Some(host_config(plan)),
        ..ContainerCreateBody::default()
    }
}

/// Of the container, and of what is made with it.
fn labels(plan: &Plan) -> HashMap<String, String> {
    plan.labels.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn host_config(plan: &Plan) -> HostConfig {
    let tmpfs = plan.memory_places.iter().filter(|place| !place.kept);
    let volumes = plan.memory_places.iter().filter(|place| place.kept);
    HostConfig {
        network_mode: Some(if plan.network == Network::Host { "host" } else { "none" }.to_owned()),
        readonly_rootfs: Some(true),
        cap_drop: Some(vec!["ALL".to_owned()]),
        security_opt: Some(vec![
            "no-new-privileges".to_owned(),
            format!("seccomp={}", seccomp::docker_profile(plan.network)),
        ]),
        memory: plan.limits.memory,
        memory_swap: plan.limits.memory,
        // Not by processors, of which Docker takes no more than the machine has.
        cpu_period: plan.limits.cpu.map(|_| PERIOD),
        cpu_quota: plan.limits.cpu,
        pids_limit: plan.limits.pids,
        ulimits: Some(plan.rlimits.iter().map(|limit| ulimit(limit.name, limit.value)).collect()),
        ipc_mode: Some(if plan.shared_memory.is_some() { "private" } else { "none" }.to_owned()),
        shm_size: plan.shared_memory,
        cgroupns_mode: Some(HostConfigCgroupnsModeEnum::PRIVATE),
        masked_paths: Some(owned(MASKED)),
        readonly_paths: Some(owned(READ_ONLY)),
        tmpfs: Some(tmpfs.map(|place| (place.target.clone(), options(place, "rw,exec,"))).collect()),
        mounts: Some(plan.binds.iter().map(bind).chain(volumes.map(|place| kept(place, plan))).collect()),
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        init: Some(false),
        ..HostConfig::default()
    }
}

/// A place whose content is wanted afterwards is a volume in memory: the archive of a container has its volumes, not its tmpfs.
fn kept(place: &MemoryPlace, plan: &Plan) -> Mount {
    let options = [("type", "tmpfs".to_owned()), ("device", "tmpfs".to_owned()), ("o", options(place, ""))];
    Mount {
        typ: Some(MountType::VOLUME),
        target: Some(place.target.clone()),
        volume_options: Some(MountVolumeOptions {
            no_copy: Some(true),
            labels: Some(labels(plan)),
            driver_config: Some(MountVolumeOptionsDriverConfig {
                name: Some("local".to_owned()),
                options: Some(HashMap::from(options.map(|(name, value)| (name.to_owned(), value)))),
            }),
            ..MountVolumeOptions::default()
        }),
        ..Mount::default()
    }
}

fn options(place: &MemoryPlace, more: &str) -> String {
    format!("{more}nosuid,nodev,size={},nr_inodes={INODES},mode=1777", place.size)
}

/// Docker has no way to say `nosuid` and `nodev` here; without privileges to gain and with its rules for devices neither is a way out.
fn bind(bind: &Bind) -> Mount {
    Mount {
        typ: Some(MountType::BIND),
        source: Some(bind.source.clone()),
        target: Some(bind.target.clone()),
        read_only: Some(!bind.writable),
        bind_options: Some(MountBindOptions {
            propagation: Some(MountBindOptionsPropagationEnum::PRIVATE),
            non_recursive: Some(true),
            ..MountBindOptions::default()
        }),
        ..Mount::default()
    }
}

fn ulimit(name: &str, value: i64) -> ResourcesUlimits {
    ResourcesUlimits { name: Some(name.to_owned()), soft: Some(value), hard: Some(value) }
}

fn owned(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}
