//! The operations of Guildhall, one per file, and the facade that everything public is reached through.
//!
//! An operation takes a [`Hall`] and a request and gives an [`Envelope`] with its own reply. It prints nothing, reads
//! no environment and decides no exit: the surfaces above do.

mod agent;
mod agents;
mod approvals;
mod authority;
mod books;
mod builtin_tools;
mod cause;
mod changes;
mod check;
mod codes;
mod configuration;
mod connect;
mod contract;
mod contributed;
mod counted;
mod create;
mod deps;
mod diff;
mod discretion;
mod doctor;
mod draft;
mod edit;
mod envelope;
mod events;
mod experience;
mod explain;
mod feedback;
mod file_match;
mod front_door;
mod gc;
mod hall;
mod hash;
mod image;
mod inquiry;
mod install;
mod instructions;
mod invocable;
mod jobs;
mod link;
mod list;
mod live;
mod login;
mod memory;
mod moment;
mod places;
mod plugin_show;
mod plugin_tools;
mod plugins;
pub mod ports;
mod premises;
mod prompt;
mod pulse;
mod receipts;
mod registry;
mod reload;
mod render;
pub mod reply;
mod resolve;
mod roots;
mod run;
mod runners;
mod sandbox;
mod schema;
mod search;
mod secrets;
mod sections;
pub mod security_hash;
mod servers;
mod show;
mod skill_diff;
mod skill_file;
mod skill_tools;
mod switching;
mod tokens;
mod tools;
mod toolset;
mod top;
mod transcript;
mod verbs;
mod vet;
mod watch;
mod wish;
mod workshop;

pub use agents::agents;
pub use approvals::{
    Asks, Capability, ChangedFile, Decision, Shown, ShownFinding, Told, Weight, answer, approve,
    command_line, decide, deny, dismiss, grants_lift, grants_list, grants_revoke, request, request_contents,
    requests,
};
pub use authority::may_look;
pub use books::{Approvals, Books, RunLock};
pub use changes::{ApplyRequest, changes_apply, changes_drop, changes_list, changes_show};
pub use check::{CheckRequest, check};
pub use codes::Code;
pub use configuration::configuration;
pub use connect::{ConnectRequest, HostPlaces, HostScope, TakeOver, connect, host_probes, servers_import};
pub use contract::contract;
pub use contributed::{handle_action, query_data};
pub use counted::counted;
pub use create::{Content, NewRequest, Owner, create};
pub use deps::{InstallRequest, deps, deps_install};
pub use diff::{Difference, Hunk, Line, difference};
pub use doctor::doctor;
pub use draft::{OwnText, draft_check, own_text};
pub use edit::{EditRequest, skill_create, skill_remove, skill_update};
pub use envelope::{Envelope, Status};
pub use experience::{Experience, LastRun};
pub use explain::explain;
pub use feedback::{FeedbackRequest, feedback};
pub use gc::{GcRequest, gc};
pub use guild_catalog as catalog;
pub use guild_ledger as ledger;
pub use guild_ledger::Principal;
pub use guild_manifest as manifest;
pub use guild_sandbox as containers;
pub use guild_source as source;
pub use guild_vet as rules;
pub use hall::{ConfigFile, Configured, Hall, configure};
pub use hash::{bound_hash, hash};
pub use image::{
    Images, ImportRequest, ImportSource, PullRequest, docker_config, image_import, image_inspect, image_list,
    image_pull, image_remove,
};
pub use inquiry::{ANSWER, AskedField, FieldKind, PATIENCE as ANSWER_PATIENCE, asked_fields, typed_answers};
pub use install::{
    AddRequest, Choice, Edits, ExportForm, ExportRequest, ForeignForm, HostGit,
    ImportRequest as InstallImportRequest, Installer, Registrar, RemoveRequest, Scope as InstallScope,
    SyncRequest, There as ExportOver, UpdateRequest, add, export, import, installed, is_unsettled,
    may_install, outdated, pin, recover as recover_install, remove, rollback, sync, update, verify,
};
pub use jobs::{Job, JobNote, JobRequest, Jobs, job_cancel, jobs_list};
pub use link::{LinkRequest, link};
pub use list::{ListRequest, Page, list};
pub use live::{Change, Changes, Live, RefreshError};
pub use login::{LoginKey, login};
pub use moment::{Lifetime, NotATime, Since};
pub use places::Places;
pub use plugin_show::plugin_show;
pub use plugins::{plugin_preview, plugins};
pub use premises::{Look, Opening, Premises};
pub use prompt::{PromptRequest, prompt};
pub use pulse::{Pulse, pulse};
pub use receipts::{
    ReceiptsRequest, receipts_accept_loss, receipts_export, receipts_exported, receipts_list, receipts_show,
    receipts_verify, receipts_verify_file,
};
pub use registry::{
    NewValue, RegisterRequest, RegistryCache, SKILL_PRIORITY, TIME_TO_LIVE, ToggleRequest, Viewed,
    config_get, config_set, config_unset, is_management, merge, perform_request, register, registry, toggle,
    unregister,
};
pub use reload::reload;
pub use render::{RenderRequest, load, render};
pub use roots::roots;
pub use run::{
    Consent, Given, ImproveRequest, Invocation, ParamError, Stage, ToolRequest, child_tools, improve,
    improve_apply, replay, run, tools_call,
};
pub use runners::{
    CommandRunner, HttpRunner, Preset, Protocol, RunnerBudget, RunnerSettings, RunnerWay, runner_for, runners,
};
pub use sandbox::{
    Backends, CommandRequest, ContainerRequest, LaunchRequest, LimitRequest, MountMode, MountRequest,
    Refusal, RunRequest, container_backends, sandbox_exec, sandbox_launch, sandbox_list, sandbox_run,
    sandbox_stop, sandbox_supervise,
};
pub use search::{SearchRequest, search};
pub use secrets::{secret_list, secret_remove, secret_set};
pub use servers::{
    ContainedServer, Conversation, HttpServer, Reach, ServerSettings, ShippedServer, servers, servers_list,
    shipped_server, shipped_servers,
};
pub use show::show;
pub use skill_diff::{Before, skill_diff};
pub use skill_file::{HeldSkill, SkillFile, held_page, held_skill, offered};
pub use skill_tools::{
    OWN_TOOLS, SkillTool, SkillTools, WORDS, chooses_skill_tools, skill_tool_problems, skill_tools,
};
pub use switching::Switching;
pub use tokens::{Caller, TokenRequest, token_caller, token_create, token_list, token_revoke};
pub use tools::{tools_list, tools_show};
pub use toolset::Toolset;
pub use top::top;
pub use transcript::Transcript;
pub use verbs::{Verb, verbs};
pub use vet::{
    AllowRequest, Target, VetRequest, get_ready_to_vet, policy, vet, vet_allow, vet_allowed, vet_disallow,
};
pub use watch::watch;
pub use wish::{Wish, perform_wish, wish};
pub use workshop::Workshop;
