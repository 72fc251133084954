//! Git as it is started on this machine: with the person's environment, and without what would lead it elsewhere.

use guild_sandbox::host::{Destination, HostCommand, HostError, HostOutput, Program, run};
use guild_source::git::{GitAnswer, GitCall, GitFailure, GitProgram};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// How long one call may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// The largest file that git may write, a pack included.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// How much git may print: the list of a large repository.
const MAX_PRINTED: usize = 64 << 20;

/// Variables that say which repository is meant, or allow more ways to fetch than are allowed: set where a hook of another
/// repository calls us, and never about the one that is fetched.
const LEFT_OUT: &[&str] = &[
    "GIT_ALLOW_PROTOCOL",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
];

/// Starts git outside a container.
#[derive(Debug, Clone)]
pub struct HostGit {
    environment: BTreeMap<String, String>,
    may_ask: bool,
}

impl HostGit {
    /// Git with a person's environment; `may_ask` says whether they are at a terminal and can be asked for a password.
    pub fn new(environment: &BTreeMap<String, String>, may_ask: bool) -> Self {
        let mut environment = environment.clone();
        environment.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
        // What git says is read by a program.
        environment.insert("LC_ALL".to_owned(), "C".to_owned());
        environment.insert("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned());
        if !may_ask {
            environment.insert("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned());
            environment.insert("GCM_INTERACTIVE".to_owned(), "never".to_owned());
            let ssh = environment.entry("GIT_SSH_COMMAND".to_owned());
            ssh.or_insert_with(|| "ssh -oBatchMode=yes".to_owned());
        }
        Self { environment, may_ask }
    }
}

impl GitProgram for HostGit {
    fn call<'a>(
        &'a self,
        call: GitCall,
    ) -> Pin<Box<dyn Future<Output = Result<GitAnswer, GitFailure>> + Send + 'a>> {
        let command = HostCommand {
            program: Program::Git,
            arguments: call.arguments,
            directory: call.directory,
            environment: self.environment.clone(),
            stdin: call.stdin,
            stdout: call.stdout.map_or(Destination::Memory(MAX_PRINTED), Destination::File),
            may_ask: self.may_ask,
            patience: PATIENCE,
            max_file_bytes: MAX_FILE_BYTES,
        };
        Box::pin(async {
            let ended = tokio::task::spawn_blocking(|| run(command)).await;
            let ended = ended.map_err(|error| GitFailure::Other(error.to_string()))?;
            let HostOutput { code, stdout, stderr } = ended.map_err(failure)?;
            Ok(GitAnswer { code, stdout, stderr })
        })
    }
}

fn failure(error: HostError) -> GitFailure {
    match error {
        HostError::Missing { .. } => GitFailure::Missing,
        HostError::TimedOut { .. } => GitFailure::TimedOut,
        error => GitFailure::Other(crate::cause::with_cause(&error)),
    }
}
