//! The closed table of outcome codes: the one place where a code, its exit code and its meaning are written.
//!
//! Codes are API. Problems inside files have codes of their own, in `guild-manifest`.

use schemars::JsonSchema;
use serde::Serialize;

macro_rules! codes {
    ($($variant:ident = $text:literal, $exit:literal, $about:literal;)+) => {
        /// The outcome of an operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
        pub enum Code {
            $(#[doc = $about] #[serde(rename = $text)] $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// What the command's process ends with.
            pub const fn exit_code(self) -> u8 {
                match self { $(Self::$variant => $exit),+ }
            }

            /// What it means, in one sentence.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }
        }
    };
}

codes! {
    Ok = "ok", 0, "The operation did what was asked.";
    InvalidParams = "invalid_params", 2, "The parameters are not what the skill declares; every error is listed with its path.";
    SkillCapabilityDenied = "skill_capability_denied", 3, "The skill asks for something that its contract does not declare.";
    ExecutorUnbound = "executor_unbound", 1, "Nothing here runs skills of this kind.";
    ProviderUnbound = "provider_unbound", 1, "No provider of that name offers tools here.";
    ProviderToolUnregistered = "provider_tool_unregistered", 1, "The provider has no tool of that name.";
    ProviderPolicyDenied = "provider_policy_denied", 3, "The agent may not use the tool.";
    ProviderExecutionFailed = "provider_execution_failed", 1, "The tool failed.";
    ProviderUnavailable = "provider_unavailable", 1, "Whoever offers the tool cannot be reached now.";
    ToolInputInvalid = "tool_input_invalid", 2, "The tool does not take what it was given.";
    ToolInputRequired = "tool_input_required", 1, "The tool asks for something that nobody can answer here.";
    ToolTimedOut = "tool_timed_out", 1, "The tool took longer than its provider is given.";
    ToolCrashed = "tool_crashed", 1, "The tool ended before it had answered.";
    ToolRuntimeMissing = "tool_runtime_missing", 1, "What runs the tool is not in its container.";
    ToolNoAnswer = "tool_no_answer", 1, "The tool ended well and answered nothing.";
    ToolAnswerNotJson = "tool_answer_not_json", 1, "What the tool answered is no JSON.";
    ToolAnswerNotObject = "tool_answer_not_object", 1, "What the tool answered is JSON, but no object.";
    ToolOutputInvalid = "tool_output_invalid", 1, "The tool gave something else than it declares.";
    SubagentFailed = "subagent_failed", 1, "The child agent gave no answer.";
    SubagentUnavailable = "subagent_unavailable", 1, "Whoever runs child agents cannot be reached, is not installed, or does not let us in.";
    SubagentTimedOut = "subagent_timed_out", 1, "The child agent's time was up, and it was ended.";
    SubagentExhausted = "subagent_exhausted", 1, "The child agent has used up its steps or tokens without an answer.";
    RunInterrupted = "run_interrupted", 130, "Somebody interrupted the run, and what ran was ended.";
    RunNotFound = "run_not_found", 1, "No such run is under way, or there was none.";
    ScriptNotFound = "script_not_found", 1, "The script that the skill names is not among its files.";
    ScriptFailed = "script_failed", 1, "The script ended with a failure of its own.";
    ScriptTimedOut = "script_timed_out", 1, "The script's time was up, and all its processes were killed.";
    ScriptOutOfMemory = "script_out_of_memory", 1, "The script needed more memory than it may use.";
    OutputInvalid = "output_invalid", 1, "The result is not what the skill declares.";
    WorkspaceTooWide = "workspace_too_wide", 3, "The workspace would show a skill everything that a person has.";
    ApprovalRequired = "approval_required", 3, "A person must approve the run first; a request waits for them.";
    SecurityHashMismatch = "security_hash_mismatch", 3, "The skill has changed since it was approved; a request waits for a person.";
    ApprovalDenied = "approval_denied", 3, "A person has denied the skill in this state.";
    ReceiptNotWritten = "receipt_not_written", 1, "It ran, but its end could not be written down, so it does not count as a success.";
    RunCancelled = "run_cancelled", 1, "Somebody took the run back before it had ended.";
    ReplayImpossible = "replay_impossible", 1, "The run cannot be repeated as it was; the message says what is missing.";
    ReplayDiffers = "replay_differs", 1, "Repeated with the same inputs, the run gave something else.";
    ContainerTooWide = "container_too_wide", 3, "The container allows more than the skill's contract asks for.";
    CheckFailed = "check_failed", 1, "At least one file has an error under the chosen profile.";
    SkillNotFound = "skill_not_found", 1, "No skill has that name; the message lists names near it.";
    SkillAmbiguous = "skill_ambiguous", 1, "Several skills bear that name; use one of the qualified names listed.";
    SecurityPreflightDenied = "security_preflight_denied", 3, "The vet denies the skill; the findings say why.";
    SkillNotInvocable = "skill_not_invocable", 3, "The skill may not be called by this caller.";
    PluginNotFound = "plugin_not_found", 1, "No plugin has that name; the message lists names near it.";
    PluginInUse = "plugin_in_use", 1, "A plugin that is on depends on it, so it was not switched off.";
    EnvironmentMissing = "environment_missing", 1, "The plugin needs a variable of the environment that is not set.";
    DependencyMissing = "dependency_missing", 1, "A plugin that it depends on is not here, is off, or has another version.";
    DependencyCycle = "dependency_cycle", 1, "Plugins depend on each other in a circle.";
    HookFailed = "hook_failed", 1, "The plugin's own hook failed, so that the plugin is off; the reason is kept with it.";
    HookDenied = "hook_denied", 3, "A plugin's hook does not let it run, or could not say that it does.";
    ToolConflict = "tool_conflict", 1, "Two that are on claim one tool's name; the message names both.";
    SettingInvalid = "setting_invalid", 2, "The plugin has no such setting, or it does not take this value.";
    SecretNotFound = "secret_not_found", 1, "No secret of that name is kept.";
    SecretInvalid = "secret_invalid", 2, "The name is none of a variable, or the value cannot stand in an environment.";
    SecretUnreadable = "secret_unreadable", 1, "An encrypted value cannot be made or read: its key is missing, or it was changed.";
    ConfigNotSet = "config_not_set", 1, "The plugin has no such value.";
    StepNotFound = "step_not_found", 1, "The skill declares no such install step, or none that could be run here.";
    StepRefused = "step_refused", 3, "Guildhall does not run this install step; the message says what to do.";
    InstallFailed = "install_failed", 1, "The package manager cannot be started, or failed.";
    SkillReadOnly = "skill_read_only", 3, "Only skills of one's own are written: plain files in the project or the home directory that nothing has installed.";
    SkillFilesRefused = "skill_files_refused", 3, "Among the skill's files is a link that leads out, a device, a socket, a pipe or a name that is no text.";
    SkillTooLarge = "skill_too_large", 1, "The skill has more files, or larger or deeper ones, than can be staged.";
    SkillChanged = "skill_changed", 1, "The skill is no longer what was found a moment ago; ask again.";
    HashUnknown = "hash_unknown", 1, "Nothing that has this hash is in the store of this machine.";
    StoreDamaged = "store_damaged", 1, "Stored content is not what its digest says, and was not used.";
    PathNotFound = "path_not_found", 1, "There is no skill, plugin or directory of them at that path.";
    UnknownSource = "unknown_source", 2, "The source is none of the scopes.";
    EmptyQuery = "empty_query", 2, "The query has no words.";
    InvalidName = "invalid_name", 2, "The name cannot serve as an identifier.";
    InvalidPattern = "invalid_pattern", 2, "The file or pattern cannot be used.";
    AlreadyExists = "already_exists", 1, "Something of that name is there already: a skill, in either layout, or a file. It was not overwritten.";
    DraftRejected = "draft_rejected", 1, "The content breaks rules that authoring holds skills to.";
    WriteFailed = "write_failed", 1, "A file could not be written; nothing was changed.";
    ReadFailed = "read_failed", 1, "A file that was found could not be read.";
    ReloadFailed = "reload_failed", 1, "The refresh failed; the last good snapshot stays.";
    SandboxUnavailable = "sandbox_unavailable", 4, "No container can be made here; the message names the exact cause.";
    SandboxLimitUnenforceable = "sandbox_limit_unenforceable", 4, "A limit cannot be enforced here, so nothing was run.";
    SandboxUnsupported = "sandbox_unsupported", 4, "The container runtime cannot provide something that was asked for.";
    SandboxPolicyInvalid = "sandbox_policy_invalid", 2, "The mounts, limits or names that were asked for cannot be applied.";
    SandboxMountFailed = "sandbox_mount_failed", 1, "Something that was to be mounted is not there or cannot be.";
    SandboxLaunchFailed = "sandbox_launch_failed", 4, "A step in making the container failed; nothing was run.";
    SandboxExecFailed = "sandbox_exec_failed", 127, "The command is not in the container, or cannot be executed there.";
    SandboxEnded = "sandbox_ended", 1, "The container has ended.";
    ContainerNotFound = "container_not_found", 1, "No container of that name is running.";
    ContainerNotYours = "container_not_yours", 3, "The container belongs to another owner and is not shared.";
    ContainerCeiling = "container_ceiling", 3, "The owner's containers would use more than they may together.";
    ChangesNotFound = "changes_not_found", 1, "No change set of that name waits for a decision.";
    ChangesUnusable = "changes_unusable", 1, "What a container wrote cannot be kept, shown or applied; the directory is as it was.";
    ChangesSensitive = "changes_sensitive", 3, "The changes touch files that decide what agents and machines do, and nobody confirmed those.";
    WorkspaceConflict = "workspace_conflict", 1, "The directory has changed since the container ran; nothing was applied.";
    NoHome = "no_home", 1, "There is no home directory in which to keep anything.";
    UnknownBackend = "unknown_backend", 2, "There is no such container runtime here.";
    UnknownImageRole = "unknown_image_role", 2, "No image role has that name; the message lists those that there are.";
    ImageNotFound = "image_not_found", 1, "There is no such image, in the store or in the registry; the message lists names near it.";
    ImageAmbiguous = "image_ambiguous", 1, "Several images are meant; the message lists them.";
    ImageInvalid = "image_invalid", 1, "The file is no image, or a broken one; nothing of it was kept.";
    ImageUnsafe = "image_unsafe", 3, "The image holds something that reaches beyond its own root; nothing of it was kept.";
    ImageTooLarge = "image_too_large", 1, "The image is larger than images may be, or unpacks to it; nothing of it was kept.";
    ImageDigestMismatch = "image_digest_mismatch", 1, "A part of the image is not what its digest says; nothing of it was kept.";
    ImageUnsupported = "image_unsupported", 1, "It is no container image, or none for this machine.";
    ImageInUse = "image_in_use", 1, "A role names the image, or a container runs in it, so it was not removed.";
    RegistryDenied = "registry_denied", 1, "The registry wants to know who asks, or does not give it to them.";
    RegistryFailed = "registry_failed", 1, "The registry cannot be reached, fails, or takes too long.";
    LedgerUnavailable = "ledger_unavailable", 1, "The ledger cannot be opened, read or written, so nothing was decided or run.";
    LedgerNewer = "ledger_newer", 1, "A newer Guildhall has written this ledger or this file of receipts.";
    LedgerCut = "ledger_cut", 1, "The ledger does not end where its head says; nothing is written until a person has looked.";
    ReceiptsBroken = "receipts_broken", 1, "Receipts or records were changed, deleted or moved; the reply says which.";
    ReceiptNotFound = "receipt_not_found", 1, "No receipt has that id.";
    RequestNotFound = "request_not_found", 1, "No request for approval has that id.";
    RequestExpired = "request_expired", 1, "Nobody answered the request in time.";
    GrantNotFound = "grant_not_found", 1, "No grant or denial of that kind has that id.";
    TokenNotFound = "token_not_found", 1, "No token has that id.";
    ListenFailed = "listen_failed", 1, "The address cannot be listened on.";
    ListenUnprotected = "listen_unprotected", 3, "Other machines would reach the server, and nobody has a token yet.";
    ServerNotRunning = "server_not_running", 1, "No server of this person runs here, or not the one that is meant.";
    NotAuthenticated = "not_authenticated", 3, "Whoever asks the server brings a token that counts.";
    HostNotAllowed = "host_not_allowed", 3, "The request is meant for another host than this server.";
    OriginNotAllowed = "origin_not_allowed", 3, "The request comes from a page that the server does not know.";
    CsrfTokenInvalid = "csrf_token_invalid", 3, "A browser asks for a change without what only the server's own page can send.";
    RouteNotFound = "route_not_found", 1, "The server has nothing at this path.";
    MethodNotAllowed = "method_not_allowed", 1, "What is at this path cannot be asked in this way.";
    MediaTypeUnsupported = "media_type_unsupported", 2, "The server reads bodies of the type `application/json` alone.";
    RequestMalformed = "request_malformed", 2, "The request cannot be read: its body is no JSON, or its address is no text.";
    RequestInvalid = "request_invalid", 2, "The request has a field or parameter that is unknown, missing, or not what it should be.";
    PreconditionRequired = "precondition_required", 2, "A change says by `If-Match` which state it is meant for.";
    PreconditionFailed = "precondition_failed", 1, "What was to be changed has changed since it was looked at; nothing was done.";
    RequestTooLarge = "request_too_large", 1, "The request is larger than the server reads.";
    RequestTooSlow = "request_too_slow", 1, "The request did not arrive in time.";
    RateLimited = "rate_limited", 1, "More was asked in a short time than the server answers.";
    ServerBusy = "server_busy", 1, "The caller has too much under way at once.";
    AlreadyDecided = "already_decided", 1, "Somebody has decided it before; what they decided stays.";
    DenialStands = "denial_stands", 3, "A person has denied it, and nobody has lifted that.";
    PersonRequired = "person_required", 3, "An agent cannot decide this; it takes a person.";
    RoleInsufficient = "role_insufficient", 3, "The role, the caller's or the one that is asked for, does not allow this.";
    ApprovalWayForbidden = "approval_way_forbidden", 3, "This cannot be decided in this way; it takes a person at a terminal.";
    NotConfirmed = "not_confirmed", 3, "The person did not confirm it, so nothing was decided.";
    WarningNotAllowable = "warning_not_allowable", 3, "Only a warning about a skill that was read whole can be allowed, and never a denial.";
    WarningNotFound = "warning_not_found", 1, "The skill has no such warning, or nobody has allowed it.";
    NothingLost = "nothing_lost", 1, "The ledger ends where its head says, so there is no loss to accept.";
    UnknownHost = "unknown_host", 2, "No agent's program of that name can be connected, or not in that scope.";
    UnknownAgent = "unknown_agent", 2, "No agent of that name has a directory for skills, or not of that kind.";
    HostFileInvalid = "host_file_invalid", 1, "The configuration file of an agent's program cannot be edited; it is as it was.";
    SourceInvalid = "source_invalid", 2, "What was typed names no source of skills, or one that is not fetched.";
    SourceAmbiguous = "source_ambiguous", 2, "What was typed is a repository's name and also a directory here; say which one is meant.";
    SourceDenied = "source_denied", 1, "The repository is not there, or not for whoever asks; servers do not tell these apart.";
    SourceUnreachable = "source_unreachable", 1, "The source cannot be reached, fails, or takes too long.";
    SourceRefUnknown = "source_ref_unknown", 1, "The repository has no such branch, tag or commit.";
    SourceChanged = "source_changed", 1, "What came from the source is not what the lock says; nothing of it was installed.";
    GitMissing = "git_missing", 1, "Repositories are fetched by git, which is not installed.";
    NoSkills = "no_skills", 1, "There is no skill and no plugin in the source.";
    ChoiceRequired = "choice_required", 2, "The source holds several skills; say which ones are meant, or that all are.";
    SkillBroken = "skill_broken", 1, "The skill that was to be installed does not load.";
    ArchiveInvalid = "archive_invalid", 1, "The file is no zip or tar archive, one packed in a way that is not unpacked, or a broken one; nothing of it was kept.";
    UnsafePath = "unsafe_path", 3, "A path in the source leads out of the directory that it is unpacked into; nothing of it was kept.";
    UnsafeLink = "unsafe_link", 3, "A link in the source leads out of it; nothing of it was kept.";
    NameCollision = "name_collision", 3, "Two names in the source are one on some file systems; nothing of it was kept.";
    UnpackBomb = "unpack_bomb", 3, "The source unpacks to more files or bytes than it may; nothing of it was kept.";
    SpecialFile = "special_file", 3, "The source holds a device, a pipe or a hard link; nothing of it was kept.";
    SetIdFile = "set_id_file", 3, "A file in the source lends somebody's rights to whoever runs it; nothing of it was kept.";
    UnsafeName = "unsafe_name", 3, "A name in the source has characters that cannot be seen, or is no text; nothing of it was kept.";
    InstallPlaceRefused = "install_place_refused", 3, "Nothing is installed there: it is no project, or a link may lead anywhere.";
    InstallConflict = "install_conflict", 1, "Somebody else changed what is installed at the same moment; nothing was changed.";
    LockInvalid = "lock_invalid", 1, "`guild.lock` cannot be read, or contradicts itself.";
    LockMissing = "lock_missing", 1, "There is no `guild.lock` to hold what is installed against.";
    LockNewer = "lock_newer", 1, "A newer Guildhall has written `guild.lock`.";
    BundleInvalid = "bundle_invalid", 3, "The file is no bundle, or a byte of it is not what was signed; nothing of it was kept.";
    NotInstalled = "not_installed", 1, "Nothing of that name is installed there; the message lists names near it.";
    VerifyFailed = "verify_failed", 1, "What is installed is not what the lock says; the reply has every difference.";
    SyncDrift = "sync_drift", 1, "Something differs from the lock, and nothing may.";
    LocallyEdited = "locally_edited", 3, "It has edits that would be lost, and nobody asked for that.";
    UpdateConflict = "update_conflict", 1, "Local edits and the update contradict each other; nothing was changed.";
    NothingBefore = "nothing_before", 1, "There is no earlier state to go back to.";
    UnknownCode = "unknown_code", 2, "There is no such code.";
    Usage = "usage", 2, "The command line is wrong.";
    Internal = "internal", 70, "A defect in Guildhall itself.";
}
