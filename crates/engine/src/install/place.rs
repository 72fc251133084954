//! Where things are installed: the project's `.guild` or the person's own, each with its lock.

use crate::{Code, Places, Refusal};
use guild_catalog::Machine;
use guild_source::site::{Site, Trust};
use std::path::{Path, PathBuf};

/// Whose installation is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The project's, for everybody who works on it.
    Project,
    /// The person's own, in every project.
    User,
}

impl Scope {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// The site of a scope.
pub fn site(machine: &Machine, places: &Places, scope: Scope) -> Result<Site, Refusal> {
    let journals = journals(places)?;
    match scope {
        Scope::User => {
            let home = machine.home.as_deref().ok_or_else(|| {
                Refusal::new(Code::NoHome, "there is no home directory to install into; set HOME")
            })?;
            let directory = home.join(".guild");
            let lock = directory.join("guild.lock");
            Ok(Site::new(directory, lock, journals, Trust::Own))
        }
        Scope::Project => {
            let workspace = machine.workspace();
            if is_home(machine, workspace) || workspace.parent().is_none() {
                let message = format!(
                    "{} is no project; install into your own with `--user`, or go to a project",
                    workspace.display()
                );
                return Err(Refusal::new(Code::InstallPlaceRefused, message));
            }
            let directory = workspace.join(".guild");
            Ok(Site::new(directory, workspace.join("guild.lock"), journals, Trust::Stranger))
        }
    }
}

/// Where the journals of all sites are kept.
///
/// # Errors
/// Where there is no place for them.
pub fn journals(places: &Places) -> Result<PathBuf, Refusal> {
    Ok(places.state()?.join("journal"))
}

fn is_home(machine: &Machine, directory: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let is_home =
        |home: &PathBuf| home == directory || real(home).is_some_and(|home| Some(home) == real(directory));
    machine.home.as_ref().is_some_and(is_home)
}
