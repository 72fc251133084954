//! The section as one file writes it.

use super::{Backend, CeilingSettings, Enforcement, ImageSettings, Role, RoleRoot, SandboxSettings};
use crate::Code;
use crate::config::Placed;
use crate::config::keys;
use crate::config::reader::{Reader, join};
use crate::tree::Node;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

const CPUS: RangeInclusive<f64> = 0.01..=1024.0;
/// Megabytes of memory that a container may have.
pub const MEMORY_MB: RangeInclusive<u64> = 16..=1_048_576;
const PIDS: RangeInclusive<u64> = 1..=1_000_000;
const TIMEOUT_SECONDS: RangeInclusive<u64> = 1..=604_800;
const OUTPUT_BYTES: RangeInclusive<u64> = 1_024..=1_073_741_824;
const SCRATCH_MB: RangeInclusive<u64> = 1..=1_048_576;
const CONTAINERS: RangeInclusive<u64> = 1..=1_000;
const IMAGE_BYTES: RangeInclusive<u64> = 1_048_576..=1_099_511_627_776;
const IMAGE_FILES: RangeInclusive<u64> = 1..=10_000_000;

/// Reads `[sandbox]`.
pub fn read(reader: &mut Reader<'_>, node: &Node) -> SandboxSettings {
    let mut sandbox = SandboxSettings::default();
    for (key, entry) in reader.known("sandbox", node, keys::SANDBOX) {
        let (label, node) = (join("sandbox", key), &entry.value);
        match key {
            "backend" => sandbox.backend = reader.choice(&label, node, Backend::ALL),
            "role" => sandbox.role = reader.text(&label, node),
            "roles" => sandbox.roles = read_roles(reader, &label, node),
            "limits" => sandbox.limits = reader.chosen(&label, node, Enforcement::ALL),
            "cpus" => sandbox.cpus = reader.decimal(&label, node, CPUS),
            "memory_mb" => sandbox.memory_mb = reader.number(&label, node, MEMORY_MB),
            "pids" => sandbox.pids = reader.number(&label, node, PIDS),
            "timeout_seconds" => sandbox.timeout_seconds = reader.number(&label, node, TIMEOUT_SECONDS),
            "output_bytes" => sandbox.output_bytes = reader.number(&label, node, OUTPUT_BYTES),
            "scratch_mb" => sandbox.scratch_mb = reader.number(&label, node, SCRATCH_MB),
            "ceilings" => sandbox.ceilings = read_ceilings(reader, &label, node),
            _ => sandbox.images = read_images(reader, &label, node),
        }
    }
    sandbox
}

fn read_roles(reader: &mut Reader<'_>, label: &str, node: &Node) -> BTreeMap<String, Role> {
    let mut roles = BTreeMap::new();
    for entry in reader.entries(label, node) {
        let role = read_role(reader, &join(label, &entry.key), &entry.value);
        roles.insert(entry.key.clone(), role);
    }
    roles
}

/// A role says one of `root`, `directory` and `image`; whatever else it says, nothing runs in it.
fn read_role(reader: &mut Reader<'_>, label: &str, node: &Node) -> Role {
    let mut roots = Vec::new();
    let mut description = None;
    for (key, entry) in reader.known(label, node, keys::ROLE) {
        let (label, node) = (join(label, key), &entry.value);
        match key {
            "description" => description = reader.text(&label, node).map(|text| text.value),
            "root" => {
                roots.push(reader.choice(&label, node, &[("host", ())]).map(|()| RoleRoot::Host));
            }
            "directory" => roots.push(reader.path(&label, node).map(RoleRoot::Directory)),
            _ => roots.push(reader.text(&label, node).map(|name| RoleRoot::Image(name.value))),
        }
    }
    let root = match roots.as_mut_slice() {
        [root] => root.take(),
        // That it is no table has been told.
        _ if node.as_map().is_none() => None,
        _ => {
            let message =
                format!("`{label}` says {} of `root`, `directory` and `image`, but takes one", roots.len());
            let hint = "write root = \"host\", directory = \"/path\" or image = \"name\"";
            reader.tell(Code::ConfigValueInvalid, node.at, message, hint);
            None
        }
    };
    Role { root: root.unwrap_or(RoleRoot::Unreadable), description }
}

fn read_ceilings(reader: &mut Reader<'_>, label: &str, node: &Node) -> CeilingSettings {
    let mut ceilings = CeilingSettings::default();
    for (key, entry) in reader.known(label, node, keys::CEILINGS) {
        let (label, node) = (join(label, key), &entry.value);
        match key {
            "containers" => ceilings.containers = bare(reader.number(&label, node, CONTAINERS)),
            "cpus" => ceilings.cpus = bare(reader.decimal(&label, node, CPUS)),
            _ => ceilings.memory_mb = bare(reader.number(&label, node, MEMORY_MB)),
        }
    }
    ceilings
}

fn read_images(reader: &mut Reader<'_>, label: &str, node: &Node) -> ImageSettings {
    let mut images = ImageSettings::default();
    for (key, entry) in reader.known(label, node, keys::IMAGES) {
        let (label, node) = (join(label, key), &entry.value);
        match key {
            "max_bytes" => images.max_bytes = bare(reader.number(&label, node, IMAGE_BYTES)),
            "max_files" => images.max_files = bare(reader.number(&label, node, IMAGE_FILES)),
            _ => images.insecure_registries = bare(reader.words(&label, node)),
        }
    }
    images
}

fn bare<T>(placed: Option<Placed<T>>) -> Option<T> {
    placed.map(|placed| placed.value)
}
