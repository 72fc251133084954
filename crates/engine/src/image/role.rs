//! From a role's name to the root file system behind it.

use guild_manifest::fold::nearest;
use guild_sandbox::image::{Limits, Resolved, Store};

use super::{Images, failure};
use crate::Code;
use crate::sandbox::Refusal;

impl Images {
    /// The root file system of a role, ready for a launch, with the digest that approvals know it by; the configuration's role where
    /// none is named. What it holds must be kept as long as the container lives.
    pub fn resolve(&self, role: Option<&str>) -> Result<Resolved, Refusal> {
        let role = role.unwrap_or(&self.settings.role);
        let root = match self.roles.get(role) {
            Some(Ok(root)) => root,
            Some(Err(reason)) => {
                let message = format!("the role `{role}` cannot be used: {reason}");
                return Err(Refusal::new(Code::UnknownImageRole, message));
            }
            None => return Err(self.unknown(role)),
        };
        // Without a place for images there can still be the host's own root, or a directory.
        let nowhere = || Store::new("", Limits::default());
        let store = self.store.clone().unwrap_or_else(nowhere);
        store.resolve(root, &self.host).map_err(|error| failure::resolve(role, error))
    }

    fn unknown(&self, role: &str) -> Refusal {
        let known: Vec<&str> = self.roles.keys().map(String::as_str).collect();
        let hint = match nearest(role, known.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        let message = format!("there is no image role `{role}`; there are: {}{hint}", known.join(", "));
        Refusal::new(Code::UnknownImageRole, message)
    }
}
