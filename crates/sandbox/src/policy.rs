//! What a contained process may see and use: data alone, the same for every backend.
//!
//! Whether a backend can enforce it is said by its [`crate::Probe`]; nothing here touches the machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Everything a container is given. What is not named here, it does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// The root file system, always read-only.
    pub root: Root,
    /// Directories and files of the host, mounted in this order.
    pub mounts: Vec<Mount>,
    /// Writable places in memory, each with a size.
    pub scratch: Vec<Scratch>,
    /// Whether there is a network.
    pub network: Network,
    /// The whole environment: nothing of the caller's own is inherited.
    pub env: BTreeMap<String, String>,
    /// The numeric user and group that the process is, inside.
    pub user: u32,
    /// The name that the machine has, inside.
    pub hostname: String,
    /// How much of the machine it may use.
    pub limits: Limits,
}

/// Where a container's root file system comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Root {
    /// The host's own programs: `/usr` and what interpreters need of `/etc`, nothing of anybody's data.
    Host,
    /// An unpacked root file system.
    Directory {
        /// Where it lies.
        path: PathBuf,
        /// Names its content (`sha256:…`), so that engines with stores of their own import it once.
        digest: String,
    },
}

/// One place of the host, seen inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The file or directory on the host.
    pub source: PathBuf,
    /// The absolute path inside.
    pub target: PathBuf,
    /// What may be done with it.
    pub access: Access,
}

/// What a container may do with a mount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// Read, and execute.
    ReadOnly,
    /// Read and write the host's own files.
    ReadWrite,
    /// Read, and write into a layer beside them: the host's files stay as they are.
    CopyOnWrite {
        /// An empty directory that takes the changes, on a file system that can hold an overlay's upper layer.
        layer: PathBuf,
    },
}

/// A writable directory in memory that ends with the container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratch {
    /// The absolute path inside.
    pub target: PathBuf,
    /// Bytes that fit.
    pub size: u64,
    /// A directory of the host that gets its regular files when the process has ended. Links, devices and sockets stay behind, and
    /// nothing that the container made is followed.
    pub keep: Option<PathBuf>,
}

/// Whether a container has a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// No interface, and no socket of any family.
    #[default]
    None,
    /// The host's own, local services included.
    Host,
}

/// How much of the machine a container may use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Processors, in parts of one.
    pub cpus: f64,
    /// Bytes of memory, the scratch directories and the page cache included; no swap beyond it.
    pub memory: u64,
    /// Processes and threads.
    pub pids: u32,
    /// How long it may take, after which everything in it is killed.
    pub timeout: Duration,
    /// Bytes kept of each of the two streams; what follows is read and dropped.
    pub kept_output: u64,
    /// What to do where a limit cannot be enforced.
    pub enforcement: Enforcement,
}

/// What to do where a limit cannot be enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Enforcement {
    /// Refuse to launch.
    #[default]
    Strict,
    /// Launch, and name in the outcome what was not enforced: only where a person has asked for it.
    BestEffort,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            cpus: 1.0,
            memory: 512 << 20,
            pids: 128,
            timeout: Duration::from_secs(600),
            kept_output: 1 << 20,
            enforcement: Enforcement::Strict,
        }
    }
}

impl Default for Policy {
    /// The host's programs, `/tmp` and `/output` of 256 MB each, and nothing else.
    fn default() -> Self {
        Policy {
            root: Root::Host,
            mounts: Vec::new(),
            scratch: vec![Scratch::new("/tmp"), Scratch::new("/output")],
            network: Network::None,
            env: BTreeMap::new(),
            user: 1000,
            hostname: "guild".to_owned(),
            limits: Limits::default(),
        }
    }
}

impl Scratch {
    /// A scratch directory of 256 MB whose content is not kept.
    pub fn new(target: impl Into<PathBuf>) -> Scratch {
        Scratch { target: target.into(), size: 256 << 20, keep: None }
    }
}

impl Mount {
    /// A mount that can only be read.
    pub fn read_only(source: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Mount {
        Mount { source: source.into(), target: target.into(), access: Access::ReadOnly }
    }
}
