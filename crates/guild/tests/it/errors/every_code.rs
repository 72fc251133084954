//! Every code that a command can end with, and what brings each about.

use super::WORLD;
use crate::{env, envelope};
use guild_engine::Code;
use std::collections::BTreeSet;

/// One command line for each code that a command can end with.
const PROVOKED: &[(Code, &[&str])] = &[
    (Code::Ok, &["list"]),
    (Code::CheckFailed, &["check", "broken"]),
    (Code::SkillNotFound, &["show", "reveiw"]),
    (Code::SkillAmbiguous, &["show", "deploy"]),
    (Code::SkillNotInvocable, &["render", "review"]),
    (Code::SkillFilesRefused, &["hash", "leaky"]),
    (Code::SkillTooLarge, &["hash", "deep"]),
    (Code::HashUnknown, &["diff", "review", "--from", NO_HASH]),
    (Code::PathNotFound, &["check", "nowhere"]),
    (Code::UnknownSource, &["list", "--source", "projct"]),
    (Code::EmptyQuery, &["search", "  "]),
    (Code::InvalidName, &["new", "../escape"]),
    (Code::InvalidPattern, &["list", "--file", ""]),
    (Code::AlreadyExists, &["new", "review"]),
    (Code::DraftRejected, &["new", "draft", "--from", "draft.md"]),
    (Code::WriteFailed, &["-C", "blocked", "new", "x"]),
    (Code::ReadFailed, &["new", "x", "--from", "nowhere.md"]),
    (Code::SandboxPolicyInvalid, &["sandbox", "run", "--mount", ".:/proc/x", "--", "true"]),
    (Code::SandboxMountFailed, &["sandbox", "run", "--mount", "nowhere:/x", "--", "true"]),
    (Code::SandboxExecFailed, &["sandbox", "run", "--", "no-such-program"]),
    (Code::ChangesNotFound, &["changes", "show", "chg_0"]),
    (Code::ContainerNotFound, &["sandbox", "stop", "ctr_0000000000000000"]),
    (Code::UnknownBackend, &["sandbox", "run", "--backend", "chroot", "--", "true"]),
    (Code::SandboxUnavailable, &["sandbox", "run", "--backend", "docker", "--", "true"]),
    (Code::UnknownImageRole, &["sandbox", "run", "--role", "nobody", "--", "true"]),
    (Code::ImageNotFound, &["image", "inspect", "gone"]),
    (Code::ImageInvalid, &["image", "import", "draft.md"]),
    (Code::SecurityPreflightDenied, &["vet", "downloads"]),
    (Code::ReceiptNotFound, &["receipts", "show", "rcp_0"]),
    (Code::RequestNotFound, &["deny", "apr_0"]),
    (Code::GrantNotFound, &["grants", "lift", "grt_0"]),
    (Code::ServerNotRunning, &["login"]),
    (Code::TokenNotFound, &["token", "revoke", "tok_0"]),
    (Code::PersonRequired, &["approve", "apr_0", "--agent", "writer"]),
    (Code::RoleInsufficient, &["token", "create", "--agent", "writer", "--role", "admin"]),
    (
        Code::WarningNotAllowable,
        &["vet", "allow", "deny.shell.pipe_to_interpreter", "--skill", "review", "--why", "sure"],
    ),
    (Code::WarningNotFound, &["vet", "disallow", "sup_0"]),
    (Code::NothingLost, &["receipts", "accept-loss", "--reason", "none"]),
    (Code::UnknownHost, &["connect", "cursr"]),
    (Code::ListenUnprotected, &["serve", "--listen", "0.0.0.0:0"]),
    (Code::SourceInvalid, &["add", "acme"]),
    (Code::GitMissing, &["add", "acme/skills"]),
    (Code::ArchiveInvalid, &["add", "./draft.md"]),
    (Code::NotInstalled, &["remove", "review"]),
    (Code::UnknownCode, &["explain", "check_faild"]),
    (Code::Usage, &["list", "--sorce"]),
];

/// What the API refuses.
const MISUSE: &str = "api::misuse::what_cannot_be_read_is_refused_with_its_own_code";
const AUTHORING: &str = "api::authoring::an_admin_writes_changes_and_removes_skills_of_their_own";
const TAKEN_BACK: &str = "api::runs::a_run_is_taken_back_and_its_receipt_says_so";

/// Who is let in by the server, and what becomes of those who misbehave there.
const LET_IN: &str = "serve::nobody_is_let_in_without_a_token_or_by_another_name";
const HOSTILE: &str =
    "serve::hostile::too_much_too_slow_too_often_and_too_many_at_once_are_refused_and_others_served";

/// What nothing has.
const NO_HASH: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Codes that no single command line provokes, with the test that does.
const ELSEWHERE: &[(Code, &str)] = &[
    (Code::UnknownAgent, NO_AGENT),
    (Code::ToolCrashed, "plugin_tools::a_tool_that_ends_badly_is_tool_crashed"),
    (Code::ToolRuntimeMissing, "plugin_tools::a_tool_whose_runtime_is_not_there_is_tool_runtime_missing"),
    (Code::ToolNoAnswer, "plugin_tools::a_tool_that_says_nothing_is_tool_no_answer"),
    (Code::ToolAnswerNotJson, "plugin_tools::a_tool_that_says_something_else_is_tool_answer_not_json"),
    (Code::ToolAnswerNotObject, "plugin_tools::a_tool_that_says_no_object_is_tool_answer_not_object"),
    (Code::ProviderUnavailable, NO_SERVER),
    (Code::ToolTimedOut, SILENT_SERVER),
    (Code::PluginNotFound, PLUGINS),
    (Code::PluginInUse, PLUGINS),
    (Code::EnvironmentMissing, PLUGINS),
    (Code::DependencyMissing, PLUGINS),
    (Code::DependencyCycle, PLUGINS),
    (Code::HookDenied, "plugin_hooks::a_gate_that_says_no_is_hook_denied_and_leaves_a_receipt"),
    (Code::HookFailed, "conformance::hooks::a_hook_that_fails_leaves_an_error_and_the_rest_untouched"),
    (Code::ConfigNotSet, CONFIG),
    (Code::SettingInvalid, CONFIG),
    (Code::ToolConflict, "registry::merged::what_is_switched_on_is_merged_and_a_tool_has_one_owner"),
    (
        Code::SecretNotFound,
        "registry::secrets::a_secret_satisfies_a_requirement_and_reaches_only_who_declares_it",
    ),
    (Code::SecretInvalid, "registry::secrets::what_cannot_stand_in_an_environment_is_refused"),
    (Code::SecretUnreadable, "registry::secrets::a_secret_that_was_tampered_with_is_not_handed_over"),
    (Code::StepNotFound, STEPS),
    (Code::StepRefused, STEPS),
    (Code::InstallFailed, "deps::a_step_runs_by_a_person_at_a_terminal_who_typed_a_word"),
    (Code::SkillChanged, HASHES),
    (Code::StoreDamaged, HASHES),
    (Code::ReloadFailed, "watch::a_look_that_fails_is_told_once_and_what_was_known_stays"),
    (
        Code::ContainerNotYours,
        "sandbox::another_owners_container_is_used_only_where_it_is_shared_and_never_stopped",
    ),
    (Code::ChangesUnusable, "changes::what_is_never_applied_keeps_the_rest_from_being_applied"),
    (Code::ChangesSensitive, "changes::files_that_decide_what_agents_do_are_confirmed_on_their_own"),
    (Code::WorkspaceConflict, "changes::a_directory_that_has_changed_meanwhile_is_left_alone"),
    (Code::ContainerCeiling, "sandbox::an_owner_has_four_containers_at_the_most"),
    (Code::NoHome, "sandbox::without_a_home_nothing_can_live_on"),
    (Code::ListenFailed, "serve::an_address_that_is_taken_is_listen_failed"),
    (Code::NotAuthenticated, LET_IN),
    (Code::HostNotAllowed, LET_IN),
    (Code::OriginNotAllowed, LET_IN),
    (Code::CsrfTokenInvalid, "page::a_change_takes_the_pages_own_token_and_origin"),
    (Code::RouteNotFound, LET_IN),
    (Code::MethodNotAllowed, MISUSE),
    (Code::MediaTypeUnsupported, MISUSE),
    (Code::RequestMalformed, MISUSE),
    (Code::RequestInvalid, MISUSE),
    (Code::PreconditionRequired, AUTHORING),
    (Code::PreconditionFailed, AUTHORING),
    (Code::SkillReadOnly, "api::authoring::what_is_not_ones_own_is_not_written"),
    (Code::RunCancelled, TAKEN_BACK),
    (Code::RunNotFound, TAKEN_BACK),
    (Code::RequestTooLarge, HOSTILE),
    (Code::RequestTooSlow, HOSTILE),
    (Code::RateLimited, HOSTILE),
    (Code::ServerBusy, HOSTILE),
    (Code::HostFileInvalid, "connect::what_cannot_be_edited_is_refused_and_stays"),
    (Code::SandboxLimitUnenforceable, "engines::podman_without_root_refuses_what_it_would_not_limit"),
    (Code::SandboxUnsupported, REFUSALS),
    (Code::SandboxLaunchFailed, REFUSALS),
    (Code::SandboxEnded, REFUSALS),
    (Code::ImageAmbiguous, IMAGES),
    (Code::ImageUnsafe, IMAGES),
    (Code::ImageTooLarge, IMAGES),
    (Code::ImageDigestMismatch, IMAGES),
    (Code::ImageUnsupported, IMAGES),
    (Code::ImageInUse, "images::an_image_comes_is_looked_at_and_goes"),
    (Code::RegistryDenied, "images::a_password_comes_from_dockers_configuration"),
    (Code::RegistryFailed, "the unit tests of crates/engine/src/image/failure.rs"),
    (Code::LedgerUnavailable, "receipts::a_ledger_that_is_no_database_is_ledger_unavailable"),
    (Code::LedgerNewer, "receipts::a_file_of_a_newer_program_and_one_of_something_else_are_told_apart"),
    (Code::LedgerCut, "receipts::a_lost_head_is_ledger_cut_until_a_person_accepts_the_loss"),
    (Code::ReceiptsBroken, "receipts::an_edit_in_the_database_is_receipts_broken"),
    (Code::RequestExpired, "approvals::what_nobody_answers_expires"),
    (Code::AlreadyDecided, "approvals::a_request_is_approved_once_and_answered_once"),
    (Code::DenialStands, "approvals::a_denial_sticks_until_it_is_lifted"),
    (Code::ApprovalWayForbidden, "approvals::the_configuration_can_forbid_approving_without_a_terminal"),
    (Code::NotConfirmed, "approvals::enter_alone_and_going_away_decide_nothing"),
    (Code::InvalidParams, "conformance::refusals::parameters_are_held_to_the_contract_every_error_at_once"),
    (Code::SkillCapabilityDenied, "the unit test of crates/engine/src/run/tool.rs"),
    (Code::ExecutorUnbound, UNBOUND),
    (Code::ProviderUnbound, UNBOUND),
    (Code::ProviderToolUnregistered, UNBOUND),
    (Code::ProviderPolicyDenied, UNBOUND),
    (Code::ProviderExecutionFailed, TOOLS),
    (Code::ToolInputInvalid, UNBOUND),
    (Code::ToolInputRequired, TOOLS),
    (Code::ToolOutputInvalid, TOOLS),
    (Code::SubagentFailed, TOOLS),
    (
        Code::SubagentUnavailable,
        "subagents::hostile::a_key_that_a_server_gives_back_is_nowhere_kept_or_shown",
    ),
    (Code::SubagentTimedOut, "subagents::budgets_end_it"),
    (Code::SubagentExhausted, "subagents::budgets_end_it"),
    (Code::RunInterrupted, "subagents::commands::an_interrupt_ends_the_program_and_the_run_is_written_down"),
    (Code::RunNotFound, "subagents::memory::a_person_judges_what_has_run_and_nobody_else_does"),
    (Code::ScriptNotFound, UNBOUND),
    (Code::ScriptFailed, FAILING),
    (Code::ScriptTimedOut, FAILING),
    (Code::ScriptOutOfMemory, FAILING),
    (Code::OutputInvalid, FAILING),
    (Code::WorkspaceTooWide, "conformance::refusals::a_workspace_that_shows_everything_is_refused"),
    (Code::ApprovalRequired, "conformance::paths::a_script_runs_once_approved_and_leaves_a_receipt"),
    (Code::SecurityHashMismatch, "conformance::paths::a_changed_skill_is_another_skill"),
    (
        Code::ApprovalDenied,
        "conformance::paths::a_denial_sticks_until_the_skill_changes_or_a_person_lifts_it",
    ),
    (Code::ReceiptNotWritten, TOOLS),
    (Code::ReplayImpossible, "conformance::replays::what_cannot_be_made_again_says_why"),
    (Code::ReplayDiffers, "conformance::replays::what_gives_something_else_the_second_time_is_told"),
    (
        Code::ContainerTooWide,
        "conformance::refusals::a_container_that_allows_more_than_the_contract_is_refused",
    ),
    (Code::SourceAmbiguous, SOURCES),
    (Code::SourceDenied, SOURCES),
    (Code::SourceRefUnknown, SOURCES),
    (Code::NoSkills, SOURCES),
    (Code::SkillBroken, SOURCES),
    (Code::SourceUnreachable, "installing::refusals::a_server_that_is_not_there_cannot_be_reached"),
    (Code::SourceChanged, "installing::keeping::what_comes_instead_of_what_was_locked_is_not_installed"),
    (Code::ChoiceRequired, "installing::adding::a_repository_of_the_forge_with_a_choice_a_ref_and_a_path"),
    (Code::UnsafePath, ARCHIVES),
    (Code::UnsafeLink, ARCHIVES),
    (Code::NameCollision, ARCHIVES),
    (Code::UnpackBomb, ARCHIVES),
    (Code::SpecialFile, ARCHIVES),
    (Code::SetIdFile, ARCHIVES),
    (Code::UnsafeName, ARCHIVES),
    (Code::InstallPlaceRefused, "installing::refusals::home_is_no_project"),
    (Code::InstallConflict, "the unit tests of crates/engine/src/install/failure.rs"),
    (Code::BundleInvalid, "installing::exchanging::one_changed_byte_anywhere_in_a_bundle_refuses_all_of_it"),
    (Code::UnknownAgent, "installing::linking::what_this_did_not_make_is_never_touched"),
    (Code::LockInvalid, "installing::refusals::a_lock_that_is_none_is_not_written_over"),
    (Code::LockNewer, "installing::refusals::a_lock_that_is_none_is_not_written_over"),
    (Code::LockMissing, "installing::keeping::a_frozen_sync_without_a_lock_fails"),
    (Code::VerifyFailed, "installing::keeping::every_difference_from_the_lock_is_told_with_its_lines"),
    (Code::SyncDrift, "installing::keeping::edits_are_left_alone_told_or_replaced"),
    (Code::LocallyEdited, "installing::keeping::edits_are_left_alone_told_or_replaced"),
    (Code::UpdateConflict, UPDATES),
    (Code::NothingBefore, "installing::updating::an_update_shows_what_it_changes_before_anything_changes"),
    (Code::Internal, "the unit test of crates/guild/src/defect.rs"),
];

/// What is wrong with sources, in one session.
const SOURCES: &str = "installing::refusals::sources_that_are_none_or_not_there";

/// Archives that were made to do harm.
const ARCHIVES: &str = "the tests of crates/guild/tests/it/hostile.rs";

/// What becomes of edits.
const UPDATES: &str = "installing::updating::edits_are_kept_replaced_or_merged_and_never_lost_unasked";

/// What depends on the machine is provoked by the attacks on the sandbox, and made into codes there.
const REFUSALS: &str = "the unit tests of crates/engine/src/sandbox/refusal.rs";

/// What happens between two looks at a skill, or to the store, is brought about there.
const HASHES: &str = "the tests of crates/engine/tests/it/security_hash.rs";
const CONFIG: &str = "registry::config::what_is_set_for_a_plugin_is_kept_and_secrets_are_not_shown";
const STEPS: &str = "deps::what_is_not_in_our_table_is_not_run_whoever_asks";
const NO_AGENT: &str = "installing::linking::what_this_did_not_make_is_never_touched";
const NO_SERVER: &str = "servers::a_server_that_nobody_configured_is_not_there";
const SILENT_SERVER: &str = "servers::a_server_that_says_nothing_is_given_up";
const PLUGINS: &str = "registry::switching::what_a_plugin_lacks_is_told_and_nothing_changes";

/// What takes a provider or a runner of its own is provoked with one.
const TOOLS: &str = "the tests of crates/engine/tests/it/run.rs";

/// What nobody offers, in one session.
const UNBOUND: &str = "conformance::refusals::what_nobody_offers_has_a_code_of_its_own";

/// The ways in which a script fails.
const FAILING: &str = "conformance::refusals::a_failing_script_says_how_it_failed";

/// What takes an archive is provoked with one.
const IMAGES: &str = "images::what_is_refused_leaves_nothing_behind";

#[test]
fn every_code_is_provoked_and_ends_with_its_exit_code() {
    for (code, arguments) in PROVOKED {
        let env = env(WORLD);
        let output = env.guild(arguments);
        assert_eq!(output.code(), Some(code.exit_code().into()), "{arguments:?}: {output}");
        if *code != Code::Ok && *code != Code::Usage {
            let error = output.stderr();
            let last = error.lines().last().unwrap();
            assert!(last.starts_with(&format!("error[{}]: ", code.as_str())), "{arguments:?}: {output}");
        }
        let env = crate::env(WORLD);
        let arguments: Vec<&str> = ["--json"].into_iter().chain(arguments.iter().copied()).collect();
        let output = env.guild(&arguments);
        let envelope = envelope(&output.stdout());
        assert_eq!(envelope["code"], code.as_str(), "{arguments:?}");
        assert_eq!(output.code(), Some(code.exit_code().into()), "{arguments:?}");
        assert_eq!(output.stderr(), "", "{arguments:?}");
    }
}

#[test]
fn no_code_is_left_out() {
    let known =
        PROVOKED.iter().map(|(code, _)| code.as_str()).chain(ELSEWHERE.iter().map(|(code, _)| code.as_str()));
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(known.collect::<BTreeSet<&str>>(), all);
}
