//! What an engine says of itself, and what of a policy it therefore cannot enforce.
//!
//! It is believed in what it says it can; where engines are known to ignore a limit in silence, they are not.

use bollard::models::{SystemInfo, SystemVersion};

use super::{Kind, first};
use crate::probe::{Feature, Finding};

/// What an engine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Which engine answers, whatever it was taken for.
    pub(super) engine: Kind,
    /// Its version.
    pub(super) version: String,
    /// The version of its API.
    pub(super) api: String,
    /// Whether it runs without root.
    pub(super) rootless: bool,
    /// Whether it runs on this machine.
    pub(super) local: bool,
    /// Whether its machine has no swap, or it limits it.
    pub(super) swap_is_limited: bool,
    /// Version of the cgroups, `1` or `2`.
    pub(super) cgroups: String,
    /// The processor that it runs containers for.
    pub(super) architecture: String,
    /// The limits that it says it cannot enforce.
    pub(super) unlimited: Vec<Feature>,
}

/// What the connection tells, besides what the engine says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// Whether it is on this machine.
    pub(super) local: bool,
    /// Whether whoever listens is not root.
    pub(super) rootless: bool,
    /// Whether this machine has swap.
    pub(super) swap: bool,
}

impl Facts {
    /// Reads an engine's answers.
    pub(super) fn new(version: SystemVersion, info: SystemInfo, around: Circumstances) -> Facts {
        let components = version.components.unwrap_or_default();
        let is_podman = components.iter().any(|component| component.name.contains("Podman"));
        let options = info.security_options.unwrap_or_default();
        let refused = |answer: Option<bool>, feature| (answer != Some(true)).then_some(feature);
        let unlimited = [
            refused(info.cpu_cfs_quota, Feature::Cpu),
            refused(info.memory_limit, Feature::Memory),
            refused(info.pids_limit, Feature::Pids),
        ];
        Facts {
            engine: if is_podman { Kind::Podman } else { Kind::Docker },
            version: version.version.unwrap_or_default(),
            api: version.api_version.unwrap_or_default(),
            rootless: around.rootless || options.iter().any(|option| option.starts_with("name=rootless")),
            local: around.local,
            swap_is_limited: info.swap_limit == Some(true) || (around.local && !around.swap),
            cgroups: info.cgroup_version.map(|version| version.to_string()).unwrap_or_default(),
            architecture: info.architecture.unwrap_or_default(),
            unlimited: unlimited.into_iter().flatten().collect(),
        }
    }

    /// Name, version and circumstances, for people.
    pub(super) fn describe(&self) -> String {
        let rootless = if self.rootless { ", rootless" } else { "" };
        let remote = if self.local { "" } else { ", another machine" };
        let Facts { version, api, cgroups, .. } = self;
        format!("{} {version}, API {api}, cgroup v{cgroups}{rootless}{remote}", self.engine.title())
    }

    /// Why nothing can be run with it at all, if so.
    pub(super) fn unusable(&self) -> Option<Finding> {
        let (title, here) = (self.engine.title(), std::env::consts::ARCH);
        if !first::ARCHITECTURES.contains(&self.architecture.as_str()) {
            let cause = format!("{title} runs containers for {}, and this is {here}", self.architecture);
            return Some(Finding::new(cause, "use an engine on a machine with the same processor"));
        }
        if self.engine == Kind::Podman && !self.local {
            let cause = "Podman reads its filter of system calls from a file of its own machine".to_owned();
            return Some(Finding::new(cause, "use Podman on this machine, or Docker on the other one"));
        }
        None
    }

    /// What cannot be had, and why.
    pub(super) fn lacks(&self) -> Vec<(Feature, Finding)> {
        let title = self.engine.title();
        let mut lacks = Vec::new();
        if !self.local || cfg!(not(target_os = "linux")) {
            lacks.push((
                Feature::HostRoot,
                Finding::new(
                    format!("{title} runs on another system, which does not have this one's programs"),
                    "give the role an image",
                ),
            ));
        }
        lacks.extend(LIMITS.into_iter().filter_map(|limit| Some((limit, self.unenforced(limit)?))));
        if !self.local {
            let finding = Finding::new(
                format!("{title} runs on another machine, which does not have this one's directories"),
                "use an engine on this machine",
            );
            lacks.push((Feature::CopyOnWrite, finding.clone()));
            lacks.push((Feature::Mounts, finding));
        }
        lacks
    }

    /// Why a limit is not enforced, if so.
    fn unenforced(&self, limit: Feature) -> Option<Finding> {
        let title = self.engine.title();
        if self.rootless && self.cgroups != "2" {
            return Some(Finding::new(
                format!("{title} without root ignores limits on cgroup v{}", self.cgroups),
                format!("run {title} as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)"),
            ));
        }
        if self.unlimited.contains(&limit) {
            return Some(Finding::new(
                format!("{title} says that it cannot limit {} here", limit.name()),
                "see the warnings of its `info` command; without root it needs cgroups delegated by systemd",
            ));
        }
        if limit == Feature::Memory && !self.swap_is_limited {
            return Some(Finding::new(
                format!("{title} cannot limit swap here, and what does not fit into memory goes there"),
                "boot with swapaccount=1 or with cgroup v2, or turn swap off with `swapoff -a`",
            ));
        }
        None
    }
}

/// The features that are limits.
pub(super) const LIMITS: [Feature; 3] = [Feature::Cpu, Feature::Memory, Feature::Pids];

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// What doctor would say of an engine that gives these answers.
    #[track_caller]
    fn check(version: &str, info: &str, around: Circumstances, expected: Expect) {
        let info = format!(
            r#"{{"MemoryLimit":true,"SwapLimit":true,"PidsLimit":true,"CpuCfsQuota":true,"CgroupVersion":"2",
               "Architecture":"{}",{info}}}"#,
            std::env::consts::ARCH
        );
        // The later of two equal keys counts, so that a test says only what differs.
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        let facts =
            Facts::new(serde_json::from_str(version).unwrap(), serde_json::from_value(info).unwrap(), around);
        let mut shown = facts.describe() + "\n";
        if let Some(finding) = facts.unusable() {
            shown.push_str(&format!("unusable: {}\n    {}\n", finding.cause, finding.fix));
        }
        for (feature, finding) in facts.lacks() {
            shown.push_str(&format!("{}: {}\n    {}\n", feature.name(), finding.cause, finding.fix));
        }
        expected.assert_eq(&shown);
    }

    const DOCKER: &str =
        r#"{"Version":"27.0.1","ApiVersion":"1.46","Components":[{"Name":"Engine","Version":"27.0.1"}]}"#;
    const PODMAN: &str = r#"{"Version":"5.2.0","ApiVersion":"1.41","Components":[{"Name":"Podman Engine","Version":"5.2.0"}]}"#;
    const HERE: Circumstances = Circumstances { local: true, rootless: false, swap: true };

    #[test]
    fn docker_on_this_machine_lacks_nothing() {
        check(
            DOCKER,
            r#""Name":"x""#,
            HERE,
            expect![[r#"
            Docker 27.0.1, API 1.46, cgroup v2
        "#]],
        );
    }

    #[test]
    fn rootless_podman_on_cgroup_v1_is_not_believed() {
        let around = Circumstances { rootless: true, ..HERE };
        check(
            PODMAN,
            r#""CgroupVersion":"1""#,
            around,
            expect![[r#"
            Podman 5.2.0, API 1.41, cgroup v1, rootless
            cpus: Podman without root ignores limits on cgroup v1
                run Podman as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)
            memory: Podman without root ignores limits on cgroup v1
                run Podman as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)
            pids: Podman without root ignores limits on cgroup v1
                run Podman as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)
        "#]],
        );
        check(
            PODMAN,
            r#""CgroupVersion":"2""#,
            around,
            expect![[r#"
            Podman 5.2.0, API 1.41, cgroup v2, rootless
        "#]],
        );
    }

    #[test]
    fn an_engine_that_says_it_cannot_is_believed() {
        check(
            DOCKER,
            r#""PidsLimit":false,"MemoryLimit":false,"SecurityOptions":["name=rootless"]"#,
            HERE,
            expect![[r#"
                Docker 27.0.1, API 1.46, cgroup v2, rootless
                memory: Docker says that it cannot limit memory here
                    see the warnings of its `info` command; without root it needs cgroups delegated by systemd
                pids: Docker says that it cannot limit pids here
                    see the warnings of its `info` command; without root it needs cgroups delegated by systemd
            "#]],
        );
    }

    #[test]
    fn swap_beyond_the_limit_is_memory_without_a_limit() {
        check(
            DOCKER,
            r#""SwapLimit":false"#,
            HERE,
            expect![[r#"
            Docker 27.0.1, API 1.46, cgroup v2
            memory: Docker cannot limit swap here, and what does not fit into memory goes there
                boot with swapaccount=1 or with cgroup v2, or turn swap off with `swapoff -a`
        "#]],
        );
        check(
            DOCKER,
            r#""SwapLimit":false"#,
            Circumstances { swap: false, ..HERE },
            expect![[r#"
            Docker 27.0.1, API 1.46, cgroup v2
        "#]],
        );
    }

    #[test]
    fn another_machine_has_no_directories_of_this_one() {
        let away = Circumstances { local: false, ..HERE };
        check(
            DOCKER,
            r#""Name":"x""#,
            away,
            expect![[r#"
                Docker 27.0.1, API 1.46, cgroup v2, another machine
                host-root: Docker runs on another system, which does not have this one's programs
                    give the role an image
                copy-on-write: Docker runs on another machine, which does not have this one's directories
                    use an engine on this machine
                mounts: Docker runs on another machine, which does not have this one's directories
                    use an engine on this machine
            "#]],
        );
        check(
            PODMAN,
            r#""Name":"x""#,
            away,
            expect![[r#"
                Podman 5.2.0, API 1.41, cgroup v2, another machine
                unusable: Podman reads its filter of system calls from a file of its own machine
                    use Podman on this machine, or Docker on the other one
                host-root: Podman runs on another system, which does not have this one's programs
                    give the role an image
                copy-on-write: Podman runs on another machine, which does not have this one's directories
                    use an engine on this machine
                mounts: Podman runs on another machine, which does not have this one's directories
                    use an engine on this machine
            "#]],
        );
    }

    #[test]
    fn another_processor_is_no_place_for_our_first_process() {
        check(
            DOCKER,
            r#""Architecture":"s390x""#,
            HERE,
            expect![[r#"
            Docker 27.0.1, API 1.46, cgroup v2
            unusable: Docker runs containers for s390x, and this is x86_64
                use an engine on a machine with the same processor
        "#]],
        );
    }
}
