//! The caller's own container: whether a script may run there.

use guild_manifest::skill::{Network as Declared, Workspace};
use guild_sandbox::live::{Record, Registry};
use guild_sandbox::{Access, Mount, Network};

use crate::run::prepare::Draft;
use crate::sandbox::usable;
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// The container, if it is there and the caller may use it.
pub fn find(workshop: &Workshop<'_>, id: &str, owner: &str) -> Result<(Registry, Record), Refusal> {
    let registry = Registry::open(&workshop.places.state()?.join("containers"))?;
    let record = usable(&registry, id, owner)?;
    Ok((registry, record))
}

/// Refuses a container that is not there, is another's, or is wider than the contract.
pub fn check(workshop: &Workshop<'_>, draft: &Draft<'_>, id: &str, owner: &str) -> Result<(), Refusal> {
    let (_, record) = find(workshop, id, owner)?;
    match wider(draft, &record) {
        None => Ok(()),
        Some(how) => {
            let message =
                format!("container {id} is wider than the skill's contract: {how}; run it in one of its own");
            Err(Refusal::new(Code::ContainerTooWide, message))
        }
    }
}

/// In what a container shows or allows more than the contract asks for.
fn wider(draft: &Draft<'_>, record: &Record) -> Option<String> {
    let (contract, policy) = (&draft.contract, &record.policy);
    if contract.workspace == Workspace::Write {
        return Some("it cannot keep what the skill writes to the workspace aside".to_owned());
    }
    if policy.network == Network::Host && contract.network == Declared::None {
        return Some("it has the host's network".to_owned());
    }
    let inside = |mount: &Mount| draft.workspace.as_deref().is_some_and(|own| mount.source.starts_with(own));
    if let Some(mount) = policy.mounts.iter().find(|mount| mount.access != Access::ReadOnly || !inside(mount))
    {
        return Some(format!("it has {} mounted", mount.source.display()));
    }
    let usual = ["PATH", "HOME", "LANG"];
    let known = |name: &str| usual.contains(&name) || contract.env.iter().any(|declared| declared == name);
    if let Some(name) = policy.env.keys().find(|name| !known(name)) {
        return Some(format!("it has the variable {name}"));
    }
    let root = draft.staged.image.as_ref().map(|image| &image.root);
    (root != Some(&policy.root)).then(|| format!("it runs the image role `{}`", record.role))
}
