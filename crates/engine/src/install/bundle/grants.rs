//! Approvals that travel: given anew where their installation is trusted, and only proposed where it is not.
//!
//! A grant is for one state of a skill; where the other machine's policy or image makes another state of it, it allows nothing there.

use crate::approvals::Shown;
use crate::install::Registrar;
use crate::reply::{GrantLine, Import, ProposalLine, SkippedLine};
use crate::{Code, Refusal};
use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{GiveError, Grant, Matter, Mode, NewGrant, PublicKey, RUN, via};
use guild_manifest::{Digest, canonical};
use guild_source::lock::{Kind as LockKind, Lock};
use serde_json::json;
use std::time::Duration;

/// How long a proposal can be answered.
const PROPOSAL_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What people have allowed for ever, or denied, of what a lock has.
pub async fn given(registrar: &Registrar<'_>, lock: &Lock, workspace: &str) -> Result<Vec<Grant>, Refusal> {
    let books = registrar.books;
    let mut grants = books.ledger.grants(registrar.now).await.map_err(|error| books.refusal(error))?;
    grants.retain(|grant| travels(grant) && grant.workspace == workspace && is_of(lock, &grant.skill));
    Ok(grants)
}

/// What was allowed for one run was shown as that run.
fn travels(grant: &Grant) -> bool {
    !matches!(grant.mode, Mode::RunOnce { .. })
}

/// Whether a skill is one that a lock has, or a part of a plugin that it has.
fn is_of(lock: &Lock, skill: &str) -> bool {
    let name = skill.strip_prefix("hook:").unwrap_or(skill);
    match name.split_once('/') {
        Some((plugin, _)) => lock.get(LockKind::Plugin, plugin).is_some(),
        None => lock.get(LockKind::Skill, name).is_some(),
    }
}

/// Takes the approvals of a bundle on, as far as its key is trusted.
pub async fn take(
    registrar: &Registrar<'_>,
    (lock, grants): (&Lock, Vec<Grant>),
    (key, workspace): (&PublicKey, &str),
    reply: &mut Import,
) -> Result<(), Refusal> {
    let books = registrar.books;
    // Where flags do not count as a person's word, an import without a terminal does not either.
    let is_word = registrar.by.via != via::FLAG || books.approvals.flag;
    let counts = books.ledger.counts(key) && is_word;
    reply.trusted = Some(books.ledger.counts(key));
    let known = books.ledger.grants(registrar.now).await.map_err(|error| books.refusal(error))?;
    let is_so = |grant: &Grant| {
        let about =
            |grant: &Grant| (grant.agent.clone(), grant.skill.clone(), grant.security_hash, grant.mode);
        known.iter().any(|known| known.workspace == workspace && about(known) == about(grant))
    };
    for grant in grants.into_iter().filter(|grant| travels(grant) && is_of(lock, &grant.skill)) {
        if grant.is_expired(registrar.now) || is_so(&grant) {
            continue;
        }
        if counts {
            give(registrar, &grant, workspace, reply).await?;
        } else if grant.mode == Mode::Deny {
            let reason = "it was denied where it comes from, by somebody who is not trusted here".to_owned();
            reply.skipped.push(SkippedLine { name: grant.skill, reason });
        } else {
            propose(registrar, &grant, (key, workspace), reply).await?;
        }
    }
    Ok(())
}

async fn give(
    registrar: &Registrar<'_>,
    grant: &Grant,
    workspace: &str,
    reply: &mut Import,
) -> Result<(), Refusal> {
    let books = registrar.books;
    let new = NewGrant {
        agent: grant.agent.clone(),
        skill: grant.skill.clone(),
        security_hash: grant.security_hash,
        workspace: workspace.to_owned(),
        mode: grant.mode,
        expires: grant.expires,
    };
    match books.ledger.give(registrar.now, new, registrar.by.clone()).await {
        Ok((given, _)) => reply.grants.push(GrantLine::of(&given)),
        Err(GiveError::Denied(denial)) => {
            let reason = format!("it is denied here by {}", denial.id);
            reply.skipped.push(SkippedLine { name: grant.skill.clone(), reason });
        }
        Err(GiveError::NotAPerson) => {
            return Err(Refusal::new(Code::PersonRequired, GiveError::NotAPerson.to_string()));
        }
        Err(GiveError::Write(error)) => return Err(books.refusal(error)),
    }
    Ok(())
}

/// Leaves a request that a person answers, who is shown whose word it is.
async fn propose(
    registrar: &Registrar<'_>,
    grant: &Grant,
    (key, workspace): (&PublicKey, &str),
    reply: &mut Import,
) -> Result<(), Refusal> {
    let (books, now) = (registrar.books, registrar.now);
    let shown = Shown {
        source: format!("approved on another machine, by {}", key.installation()),
        command: ["guild", "run", &grant.skill].map(str::to_owned).to_vec(),
        ..Shown::default()
    };
    let hash = grant.security_hash;
    let decided = json!({"version": 1, "action": "import", "skill": grant.skill, "hash": hash.to_string()});
    let matter = Matter {
        action: RUN.to_owned(),
        agent: grant.agent.clone(),
        skill: grant.skill.clone(),
        security_hash: Some(hash),
        workspace: workspace.to_owned(),
        plan: Digest::of(canonical::text_of(&decided).as_bytes()),
        shown: shown.to_value(),
    };
    let entry = Entry {
        skill: Some(SkillRef { name: grant.skill.clone(), security_hash: Some(hash) }),
        note: Some(format!("proposed by {}", key.installation())),
        ..Entry::new(Kind::Asked, Code::ApprovalRequired.as_str(), registrar.by.clone())
    };
    let asked = books.ledger.ask(now, matter, now.after(PROPOSAL_LASTS), entry).await;
    let (request, _) = asked.map_err(|error| books.refusal(error))?;
    reply.proposals.push(ProposalLine {
        request: request.id.to_string(),
        agent: grant.agent.clone(),
        skill: grant.skill.clone(),
        security_hash: hash.to_string(),
    });
    Ok(())
}
