//! What discovery has to know of the registry: by place, what is off, why and for whom.

use guild_catalog::{Switched, Switches};
use guild_ledger::{Registration, Status, SubjectKind};

use crate::{Books, Refusal};

impl Books {
    /// What a person has switched on and off by command.
    ///
    /// # Errors
    /// Where the ledger cannot be read; then nobody knows what is off.
    pub async fn switches(&self) -> Result<Switches, Refusal> {
        let registrations = self.ledger.registrations().await.map_err(|error| self.refusal(error))?;
        let mut switches = Switches::default();
        for registration in registrations {
            switches.insert(registration.subject.place.clone(), switched(&registration));
        }
        Ok(switches)
    }
}

fn switched(registration: &Registration) -> Switched {
    let off = match registration.status {
        Status::Enabled => None,
        Status::Disabled => Some(format!("switched off; `{}` switches it on", enabling(registration))),
        Status::Error => {
            let reason = registration.reason.as_deref().unwrap_or("it failed");
            Some(format!("off because of an error: {reason}"))
        }
    };
    let off_for = registration.off_for.keys().cloned().collect();
    let failed = registration.status == Status::Error;
    Switched { off, failed, off_for, by_person: registration.enabled.is_some() }
}

/// The command that switches it on.
fn enabling(registration: &Registration) -> String {
    let kind = if registration.subject.kind == SubjectKind::Plugin { " --kind plugin" } else { "" };
    format!("guild enable {}{kind}", registration.subject.name)
}
