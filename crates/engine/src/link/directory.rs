//! The directory that an agent reads its skills from: the one that its own installer writes to. Nothing is made here.

use crate::install::Scope;
use crate::{Code, Refusal};
use guild_catalog::conventions::{CONVENTIONS, Convention, PlaceKind};
use guild_catalog::{Machine, near};
use std::path::{Path, PathBuf};

/// The directory of an agent, in the project or of the person.
pub fn directory(machine: &Machine, agent: &str, scope: Scope) -> Result<PathBuf, Refusal> {
    let convention = CONVENTIONS.iter().find(|row| row.agent == agent).ok_or_else(|| unknown(agent))?;
    let kind = match scope {
        Scope::Project => PlaceKind::Project,
        Scope::User => PlaceKind::User,
    };
    let holds_skills = |directory: &&&str| !directory.ends_with("/plugins");
    let written = convention.directories(kind).iter().find(holds_skills);
    let path = written.and_then(|written| whole(machine, written, scope)).ok_or_else(|| {
        let message = format!("{} has no directory for skills of that kind", convention.title);
        Refusal::new(Code::UnknownAgent, message)
    })?;
    if scope == Scope::Project {
        refuse_links(machine.workspace(), &path)?;
    }
    Ok(path)
}

fn whole(machine: &Machine, written: &str, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::Project => Some(machine.workspace().join(written)),
        Scope::User => machine.user_path(written),
    }
}

fn unknown(agent: &str) -> Refusal {
    let near = near(agent, CONVENTIONS.iter().map(|row: &Convention| row.agent.to_owned()));
    let hint = if near.is_empty() {
        "`guild roots` shows those that have skills here".to_owned()
    } else {
        format!("did you mean `{}`?", near.join("`, `"))
    };
    Refusal::new(Code::UnknownAgent, format!("no agent is called `{agent}`; {hint}"))
}

/// A project may be a stranger's, whose links could lead anywhere.
fn refuse_links(project: &Path, path: &Path) -> Result<(), Refusal> {
    let below = path.ancestors().take_while(|ancestor| *ancestor != project);
    for part in below {
        if part.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            let message = format!("{} is no directory, or a link that may lead anywhere", part.display());
            return Err(Refusal::new(Code::InstallPlaceRefused, message));
        }
    }
    Ok(())
}
