//! The replies: one serialisable shape per operation, sent unchanged by every surface.
//!
//! Fields are API: more may be added, none is renamed. `docs/json.md` documents them and golden tests hold them.

mod agents;
mod approvals;
mod changes;
mod check;
mod connect;
mod deps;
mod exchange;
mod feedback;
mod gc;
mod hash;
mod image;
mod improve;
mod install;
mod jobs;
mod link;
mod login;
mod lossy;
mod merged;
mod plugin;
mod principal;
mod receipts;
mod registry;
mod run;
mod sandbox;
mod secrets;
mod serve;
mod show;
mod skill_diff;
mod skill_list;
mod skill_text;
mod summary;
mod suppression;
mod tools;
mod top;
mod vet;
mod watch;
mod wish;

use schemars::JsonSchema;
use serde::Serialize;

pub use agents::{AgentLine, Agents, Configuration};
pub use approvals::{
    Decided, Ended, GrantLine, Grants, RequestLine, Requests, TokenCreated, TokenLine, Tokens,
};
pub use changes::{ChangeDetail, ChangeSummary, ChangesDecided, ChangesList, ChangesShow, RefusedChange};
pub use check::{Check, CheckSummary, CheckedFile, OtherFile, ProblemLine};
pub use connect::Connect;
pub use deps::{Deps, DepsInstalled, StepLine};
pub use exchange::{Export, ExportLine, Import, ProposalLine, SkippedLine};
pub use feedback::{Feedback, History, HistoryRun};
pub use gc::Gc;
pub use hash::Hash;
pub use image::{
    ImageConfig, ImageDetail, ImageInspect, ImageKept, ImageLine, ImageList, ImageRemove, ImageSource,
    LayerLine, RoleLine,
};
pub use improve::Improve;
pub use install::{
    Add, CandidateLine, Changed, DriftLine, FileDrift, Installed, InstalledChange, InstalledLine, Outdated,
    OutdatedLine, PluginPreview, SourceLine, Update, UpdateLine, Verify, VettedCandidate,
};
pub use jobs::{RunJob, RunJobs};
pub use link::{Link, LinkLine};
pub use login::Login;
pub use merged::{
    MergedAction, MergedComponent, MergedPlugin, MergedQuery, MergedSection, MergedTool, Registry,
};
pub use plugin::{PluginAgent, PluginDetail, PluginShow};
pub use principal::PrincipalLine;
pub use receipts::{
    BrokenReceipt, ChainLine, ReceiptLine, ReceiptShow, ReceiptsAcceptLoss, ReceiptsExport, ReceiptsList,
    ReceiptsVerify,
};
pub use registry::{ConfigLine, HookRun, PluginConfig, Toggle};
pub use run::{OutputFile, Replay, Run, RunLimits, RunPlan};
pub use sandbox::{ContainerLine, LeftBehind, SandboxContainer, SandboxList, SandboxRun};
pub use secrets::{SecretChanged, SecretLine, Secrets};
pub use serve::Serve;
pub use show::{Contract, Detail, Param, Show};
pub use skill_diff::{CapabilityChange, Comparison, FileChange, SkillDiff};
pub use skill_list::SkillList;
pub use skill_text::SkillText;
pub use summary::{CollisionLine, FilePath, SkillSummary};
pub use suppression::{AllowedWarning, VetAllow, VetAllowed};
pub use tools::{ServerLine, Servers, ServersImported, SilentProvider, SkippedServer, ToolLine, Tools};
pub use top::{Top, WaitingLine};
pub use vet::{FindingLine, Fit, Vet, VetSummary, Vetted};
pub use watch::{Watch, WatchLine};
pub use wish::Wished;

/// `list`: every skill.
#[derive(Debug, Serialize, JsonSchema)]
pub struct List<'a> {
    /// The skills, by qualified name; for an agent with an allowlist in that list's order.
    pub skills: SkillList<'a>,
    /// How many there are.
    pub count: usize,
    /// Skills that a problem keeps out; only with `--all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<Vec<BrokenLine<'a>>>,
    /// What is wrong with roots, plugins and configuration.
    pub problems: Vec<ProblemLine<'a>>,
    /// What was kept out by something of the same name.
    pub collisions: Vec<CollisionLine<'a>>,
    /// The snapshot's version.
    pub snapshot: String,
    /// Where the next page begins; only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A skill that a problem keeps out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BrokenLine<'a> {
    /// The name it would have.
    pub name: String,
    /// Where it came from.
    pub scope: &'static str,
    /// Its file.
    pub path: String,
    /// Why it is out, and what else is wrong.
    pub problems: Vec<ProblemLine<'a>>,
}

/// `search`: skills that match, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Search<'a> {
    /// The query as it was understood.
    pub query: String,
    /// The skills, best first, each with its score.
    pub skills: Vec<SkillSummary<'a>>,
    /// How many there are.
    pub count: usize,
}

/// `plugins`: every plugin.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Plugins<'a> {
    /// The plugins, by name.
    pub plugins: Vec<PluginSummary<'a>>,
    /// How many there are.
    pub count: usize,
    /// What is wrong with plugins.
    pub problems: Vec<ProblemLine<'a>>,
}

/// One plugin.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PluginSummary<'a> {
    /// Its name, which qualifies its skills.
    pub name: &'a str,
    /// Its version, as written.
    pub version: Option<&'a str>,
    /// What it is for.
    pub description: &'a str,
    /// Who made it.
    pub author: Option<&'a str>,
    /// Where it came from.
    pub scope: &'static str,
    /// Its directory.
    pub path: String,
    /// The dialect of its manifest.
    pub dialect: &'static str,
    /// How many skills it ships that load.
    pub skill_count: usize,
    /// Whether it is on: neither the configuration nor `guild disable` has switched it off.
    pub enabled: bool,
    /// Whether it brings more than skills, and none of that is there before `guild enable` has named it.
    pub waits: bool,
    /// Why it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<&'a str>,
    /// Whether it is off because its own hook has failed; `off` says how.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The agents that it is off for although it is on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub off_for: Vec<&'a str>,
}

impl PluginSummary<'_> {
    /// How much of it is on, in a word or two.
    pub fn state(&self) -> &'static str {
        match (self.enabled, self.waits) {
            (true, false) => "on",
            (true, true) => "skills only",
            (false, _) if self.failed => "error",
            (false, _) => "off",
        }
    }
}

/// `roots`: every directory that is searched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Roots {
    /// Highest precedence first.
    pub roots: Vec<RootLine>,
}

/// One directory that is searched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RootLine {
    /// Where it is.
    pub path: String,
    /// What is found there came from here.
    pub scope: &'static str,
    /// Whose convention it is.
    pub convention: &'static str,
    /// `skills` or `plugins`.
    pub holds: &'static str,
    /// Its place in the order; lower wins.
    pub priority: usize,
    /// `ok`, `missing`, `not-directory` or `unreadable`.
    pub status: &'static str,
}

/// `reload`: what a fresh discovery found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reload<'a> {
    /// How many skills load.
    pub skill_count: usize,
    /// How many plugins load.
    pub plugin_count: usize,
    /// Skills and plugins that do not load, and why.
    pub errors: Vec<ReloadError>,
    /// What was kept out by something of the same name.
    pub collisions: Vec<CollisionLine<'a>>,
    /// The snapshot's version.
    pub snapshot: String,
}

/// A file that does not load.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReloadError {
    /// The file.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// `prompt`: a catalog for a model.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Prompt<'a> {
    /// The text to put into the prompt; empty where there is nothing to offer.
    pub text: String,
    /// How many skills the agent may use.
    pub available: usize,
    /// How many of them the text names.
    pub shown: usize,
    /// Whose descriptions were cut to fit the budget.
    pub shortened: Vec<String>,
    /// Which were left out to fit the budget.
    pub dropped: Vec<String>,
    /// The characters of the text.
    pub characters: usize,
    /// What is wrong with the configuration, which decides what the agent may use.
    pub problems: Vec<ProblemLine<'a>>,
    /// The snapshot's version.
    pub snapshot: String,
}

/// `render`: a skill's text with its arguments.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Render<'a> {
    /// Whether the skill was found.
    pub found: bool,
    /// Its qualified name.
    pub skill: Option<String>,
    /// Its file; problems stand in it.
    pub path: Option<String>,
    /// The text for the model.
    pub text: String,
    /// What stayed inert or could not be filled in.
    pub problems: Vec<ProblemLine<'a>>,
    /// What the vet denies in it; the text is empty then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingLine>,
    /// Names near it, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

/// `new`: a skill was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct New<'a> {
    /// The skill's name.
    pub name: String,
    /// The file that was written, if it was.
    pub path: Option<String>,
    /// Where it will be found.
    pub scope: &'static str,
    /// Why the content was refused, or what is still to be mended in it.
    pub problems: Vec<ProblemLine<'a>>,
    /// What the vet denies in it; nothing was written then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingLine>,
}

/// A skill was removed, by the person whose own it is.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SkillRemoved {
    /// The skill's name.
    pub name: String,
    /// What was removed: its directory, or its file.
    pub path: Option<String>,
    /// Whether it was done.
    pub done: bool,
}

/// `doctor`: the state of everything, and what to do about it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Doctor {
    /// One line per thing looked at.
    pub checks: Vec<DoctorLine>,
    /// The worst of them.
    pub verdict: Health,
}

/// One thing that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorLine {
    /// What was looked at.
    pub name: &'static str,
    /// How it is.
    pub health: Health,
    /// What was seen.
    pub detail: String,
    /// What to do, where something is to be done.
    pub hint: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Good,
    /// Usable, but worth a look.
    Warning,
    /// Broken.
    Bad,
}

/// `explain`: what a code means.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explain {
    /// The code.
    pub code: String,
    /// Whether it is a problem in a file, the outcome of an operation or a finding of the vet.
    pub kind: &'static str,
    /// How much a problem or a finding matters; the exit code of an outcome.
    pub weight: String,
    /// Whether a problem keeps its skill or plugin out of the catalog.
    pub excludes: bool,
    /// What it means.
    pub about: &'static str,
    /// What to do about a finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'static str>,
    /// A finding's classes of the OWASP Agentic Skills Top 10.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub classes: &'static [&'static str],
}
