//! Containers that outlive the command that launched them.
//!
//! Each belongs to one detached supervisor process, which holds its lock, answers on a socket of its owner's alone, and ends it when its
//! time is up; the container dies with its supervisor. A [`Registry`] is the directory in which they are written down. Whoever attaches
//! to one gets a [`crate::Container`] like any other.

mod attach;
mod ceiling;
mod forward;
mod frame;
mod launch;
mod record;
mod registry;
mod socket;
mod supervise;

pub use ceiling::{Ceilings, OverCeiling};
pub use launch::{StartError, Supervisor};
pub use record::{ContainerId, ContainerIdError, Record};
pub use registry::{Registry, RegistryError};
pub use supervise::supervise;
