//! What is hashed. Its form is API: a changed field is a new [`VERSION`], and every approval asks again.

use super::locks::is_lock;
use crate::Code;
use crate::sandbox::Refusal;
use guild_manifest::skill::{self, Contract, Form, Skill};
use guild_manifest::tree::Data;
use guild_manifest::{Digest, FileEntry, TreeManifest, canonical};
use guild_source::store::Store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The version of the form.
const VERSION: u32 = 1;
/// The word for the file of an agent.
const AGENT: &str = "agent";

/// Everything that decides how a skill behaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// The version of this form.
    pub version: u32,
    /// Which skill it is.
    pub skill: SkillIdentity,
    /// The plugin that ships it; then the files are those of the whole plugin.
    pub plugin: Option<PluginIdentity>,
    /// Every file, sorted by path.
    #[schemars(with = "Vec<FileShape>")]
    pub files: Vec<FileEntry>,
    /// What it declares, or the safest default.
    pub contract: ContractTerms,
    /// The execution profile.
    pub profile: Option<String>,
    /// The vet's rules by their major version, with the denials that the person made warnings.
    pub policy: String,
    /// The root file system that it runs in; null where it does not run in a container.
    pub image: Option<ImageIdentity>,
    /// The files among those above that fix the versions of what it depends on.
    pub locks: Vec<LockFile>,
    /// What it reads of the configuration.
    pub configuration: Configuration,
    /// What it declares that a run may use; null means the default.
    pub limits: Limits,
    /// The tool that it dispatches to, as whoever offers it describes it; absent for our own, which come with the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolIdentity>,
    /// Who runs the child agent, with which model and tools; absent for everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<RunnerIdentity>,
}

/// Who runs a child agent, as it was when it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunnerIdentity {
    /// Its name in the configuration.
    pub name: String,
    /// How it is reached: `command`, `openai`, `anthropic` or `sampling`.
    pub kind: String,
    /// The command with its placeholders, or the address.
    pub target: String,
    /// The model, where one is chosen.
    pub model: Option<String>,
    /// The tools that the child agent is offered, sorted.
    pub tools: Vec<String>,
}

/// A tool that somebody else offers, as it was when it was approved: one that is described otherwise is another tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolIdentity {
    /// Its name, as `provider:tool`.
    pub name: String,
    /// What it is said to do.
    pub description: String,
    /// JSON Schema of what it takes.
    pub input: Json,
    /// JSON Schema of what it gives.
    pub output: Option<Json>,
    /// The digest of the code behind it, where that is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The digest of the root file system that it runs in, where that is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Names of the variables that reach it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
}

/// Which skill it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillIdentity {
    /// Its name, qualified by its plugin's.
    pub name: String,
    /// How it runs: `inline`, `subagent`, `script` or `tool`.
    pub kind: String,
    /// Its own file among the files.
    pub file: String,
    /// The digest of that.
    #[schemars(with = "String")]
    pub digest: Digest,
    /// `agent` where its file is that of an agent that a plugin ships; absent for a skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// The plugin that ships it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PluginIdentity {
    /// Its name.
    pub name: String,
    /// Its version, as written.
    pub version: Option<String>,
}

/// What a skill declares, defaults filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContractTerms {
    /// The script that runs.
    pub script: Option<String>,
    /// The code behind it.
    pub entrypoint: Option<EntrypointFiles>,
    /// The tool that it dispatches to, as `provider:tool`.
    pub dispatch: Option<String>,
    /// The slash command that calls it.
    pub command: Option<String>,
    /// Tools that it may call, sorted.
    pub tools: Vec<String>,
    /// `none`, `read` or `write`.
    pub workspace: String,
    /// `none` or `host`.
    pub network: String,
    /// Names of environment variables that reach it, sorted.
    pub env: Vec<String>,
    /// JSON Schema of its parameters.
    pub params: Option<Json>,
    /// JSON Schema of its result.
    pub outputs: Option<Json>,
}

/// The files of code-backed skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntrypointFiles {
    /// The file that is run.
    pub file: String,
    /// Source files beside it, sorted.
    pub source_files: Vec<String>,
    /// Data files that decide behaviour, sorted.
    pub asset_files: Vec<String>,
}

/// A root file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImageIdentity {
    /// The role by which it was chosen.
    pub role: String,
    /// What it is: an image's digest, that of a directory's content, or that of the host's distribution, version and architecture.
    pub digest: String,
}

/// A file that fixes versions of dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockFile {
    /// Where it lies.
    pub path: String,
    /// Its digest.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// What a skill reads of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Configuration {
    /// Dotted paths that must be set, sorted.
    pub paths: Vec<String>,
    /// The name of its own section, where that is another than its name.
    pub section: Option<String>,
    /// The variable that its own section may fill.
    pub variable: Option<String>,
}

/// What a run may use; null means the default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Seconds until it is ended.
    pub timeout_seconds: Option<u32>,
    /// Megabytes of memory.
    pub memory_mb: Option<u32>,
    /// Processes and threads at once.
    pub processes: Option<u32>,
    /// Bytes kept of each output stream.
    pub output_bytes: Option<u32>,
    /// Processors, in thousandths.
    pub cpu_millis: Option<u32>,
}

/// One file, for the schema alone.
#[derive(JsonSchema)]
#[schemars(rename = "FileEntry")]
#[expect(dead_code, reason = "it describes what another crate writes")]
struct FileShape {
    /// Where it lies below the root, with `/` between names.
    path: String,
    /// Whether it may be executed.
    executable: bool,
    /// Its bytes.
    size: u64,
    /// The SHA-256 of its content.
    digest: String,
}

/// What surrounds a skill and goes into its hash.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub plugin: Option<PluginIdentity>,
    pub policy: String,
    pub image: Option<ImageIdentity>,
}

impl Payload {
    /// The payload of a skill as it was staged; `own` is the skill's file in the tree.
    pub(super) fn new(skill: &Skill, own: &FileEntry, tree: &TreeManifest, around: Surroundings) -> Self {
        let contract = skill.contract.as_deref().cloned().unwrap_or_default();
        let Surroundings { plugin, policy, image } = around;
        let qualified = |plugin: &PluginIdentity| format!("{}/{}", plugin.name, skill.name);
        Self {
            version: VERSION,
            skill: SkillIdentity {
                name: plugin.as_ref().map_or_else(|| skill.name.clone(), qualified),
                kind: skill.kind.as_str().to_owned(),
                file: own.path.clone(),
                digest: own.digest,
                form: None,
            },
            plugin,
            files: tree.files().to_vec(),
            profile: contract.profile.clone(),
            policy,
            image,
            locks: tree.files().iter().filter(|file| is_lock(&file.path)).map(LockFile::of).collect(),
            configuration: Configuration::of(skill),
            limits: Limits::of(&contract.limits),
            contract: ContractTerms::of(contract),
            tool: None,
            runner: None,
        }
    }

    /// The same of a file that is read as this.
    pub(super) fn read_as(mut self, form: Form) -> Self {
        self.skill.form = (form == Form::Agent).then(|| AGENT.to_owned());
        self
    }

    /// As what the file was read.
    pub(super) fn form(&self) -> Form {
        if self.skill.form.as_deref() == Some(AGENT) { Form::Agent } else { Form::Skill }
    }

    /// The canonical text, whose SHA-256 is the security hash.
    ///
    /// # Errors
    /// Where the payload has no form in JSON, which would be a defect.
    pub fn text(&self) -> Result<String, Refusal> {
        canonical::to_string(self).map_err(|error| Refusal::new(Code::Internal, error.to_string()))
    }

    /// The payload of a security hash that was computed on this machine before.
    ///
    /// # Errors
    /// Where nothing was hashed so, or what is kept of it is damaged.
    pub fn load(store: &Store, security_hash: &Digest) -> Result<Self, Refusal> {
        let bytes = store.get(security_hash)?;
        let no_payload = || {
            let message = format!("{security_hash} is no security hash, but that of something else");
            Refusal::new(Code::HashUnknown, message)
        };
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let versioned: Versioned = serde_json::from_slice(&bytes).map_err(|_| no_payload())?;
        if versioned.version > VERSION {
            let message = format!("{security_hash} was computed by a newer Guildhall");
            return Err(Refusal::new(Code::HashUnknown, message));
        }
        serde_json::from_slice(&bytes).map_err(|_| no_payload())
    }
}

impl LockFile {
    fn of(file: &FileEntry) -> Self {
        Self { path: file.path.clone(), digest: file.digest }
    }
}

impl ContractTerms {
    fn of(contract: Contract) -> Self {
        Self {
            script: contract.script,
            entrypoint: contract.entrypoint.map(|entrypoint| EntrypointFiles {
                file: entrypoint.file,
                source_files: sorted(entrypoint.source_files),
                asset_files: sorted(entrypoint.asset_files),
            }),
            dispatch: contract.dispatch.map(|dispatch| format!("{}:{}", dispatch.provider, dispatch.tool)),
            command: contract.command,
            tools: sorted(contract.tools),
            workspace: contract.workspace.as_str().to_owned(),
            network: contract.network.as_str().to_owned(),
            env: sorted(contract.env),
            params: contract.params.as_ref().map(skill::Params::schema),
            outputs: contract.outputs.as_ref().map(Data::to_json),
        }
    }
}

impl Configuration {
    fn of(skill: &Skill) -> Self {
        let Some(requirements) = skill.requirements.as_deref() else { return Self::default() };
        Self {
            paths: sorted(requirements.config.clone()),
            section: requirements.config_key.clone(),
            variable: requirements.primary_env.clone(),
        }
    }
}

impl Limits {
    fn of(limits: &skill::Limits) -> Self {
        Self {
            timeout_seconds: limits.timeout_seconds,
            memory_mb: limits.memory_mb,
            processes: limits.processes,
            output_bytes: limits.output_bytes,
            cpu_millis: limits.cpu_millis,
        }
    }
}

/// A set of words, in one order whatever order they were written in.
fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words.dedup();
    words
}
