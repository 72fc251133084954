//! Images: root file systems for containers, brought in, listed, looked at and removed, and the roles that name them.
//!
//! What an image is made of is the sandbox's to know. Nothing here is run.

mod failure;
mod import;
mod inspect;
mod list;
mod pull;
mod remove;
mod role;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use guild_catalog::Machine;
use guild_manifest::config::{self, Sandbox};
use guild_sandbox::image::{Digest, Image, Limits, RoleRoot, Store};

use crate::sandbox::Refusal;
use crate::{Code, Places, reply};

pub use import::{ImportRequest, ImportSource, image_import};
pub use inspect::image_inspect;
pub use list::image_list;
pub use pull::{PullRequest, credentials, docker_config, image_pull};
pub use remove::image_remove;

/// The images of one person, and the roles that their configuration declares.
#[derive(Debug)]
pub struct Images {
    store: Option<Store>,
    settings: Sandbox,
    roles: BTreeMap<String, Result<RoleRoot, String>>,
    /// The host's own root directory.
    host: PathBuf,
}

impl Images {
    /// The images below the data directory, under the configuration's limits, with the roles as they are on this machine.
    pub fn open(places: &Places, machine: &Machine, settings: &Sandbox) -> Images {
        let limits = Limits {
            bytes: settings.images.max_bytes,
            entries: settings.images.max_files,
            ..Limits::default()
        };
        let roles = settings.roles.iter();
        Images {
            store: places.data.as_ref().map(|data| Store::new(data.join("images"), limits)),
            roles: roles.map(|(name, role)| (name.clone(), root_of(&role.root, machine))).collect(),
            settings: settings.clone(),
            host: PathBuf::from("/"),
        }
    }

    /// What the configuration says of containers.
    pub fn settings(&self) -> &Sandbox {
        &self.settings
    }

    /// Where they are kept.
    pub(crate) fn store(&self) -> Result<&Store, Refusal> {
        let message =
            "there is no directory to keep images in; set HOME or XDG_DATA_HOME to an absolute path";
        self.store.as_ref().ok_or_else(|| Refusal::new(Code::NoHome, message))
    }

    /// Where the roots of the roles lie whose image is here.
    pub(crate) fn roots(&self) -> BTreeMap<String, PathBuf> {
        let place = |(role, root): (&String, &Result<RoleRoot, String>)| match (root, &self.store) {
            (Ok(RoleRoot::Image(name)), Some(store)) => {
                Some((role.clone(), store.root_of(&store.find(name).ok()?.digest)))
            }
            _ => None,
        };
        self.roles.iter().filter_map(place).collect()
    }

    /// The roles whose image is this one.
    fn roles_of(&self, store: &Store, digest: &Digest) -> Vec<String> {
        let is_its = |root: &Result<RoleRoot, String>| match root {
            Ok(RoleRoot::Image(name)) => store.find(name).is_ok_and(|image| image.digest == *digest),
            _ => false,
        };
        self.roles.iter().filter(|(_, root)| is_its(root)).map(|(name, _)| name.clone()).collect()
    }

    /// An image as lists show it.
    fn line(&self, store: &Store, image: &Image) -> reply::ImageLine {
        reply::ImageLine::of(image, self.roles_of(store, &image.digest))
    }
}

/// Where a role's root lies on this machine.
fn root_of(root: &config::RoleRoot, machine: &Machine) -> Result<RoleRoot, String> {
    match root {
        config::RoleRoot::Host => Ok(RoleRoot::Host),
        config::RoleRoot::Image(name) => Ok(RoleRoot::Image(name.clone())),
        config::RoleRoot::Directory(place) => {
            let home = machine.home.as_deref().and_then(Path::to_str);
            let env = |name: &str| machine.env.get(name).cloned();
            let base = place.base("/");
            let path = config::expand(&place.path, home, &env, base).map_err(|error| error.to_string())?;
            Ok(RoleRoot::Directory(path.into()))
        }
        config::RoleRoot::Unreadable => {
            Err("what the configuration says of it cannot be used; `guild check` says why".to_owned())
        }
    }
}
