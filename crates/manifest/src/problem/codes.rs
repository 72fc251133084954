//! The closed table of problem codes: the one place where a code, its weight and its meaning are written.
//!
//! Codes are API. `docs/codes.md` is made from this table, and every code has a test.

use super::Severity;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! codes {
    ($($variant:ident = $text:literal, $severity:ident, $effect:ident, $about:literal;)+) => {
        /// Which rule a problem breaks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $about] $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The severity it has unless a profile says otherwise.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),+ }
            }

            /// Whether it keeps what it was found in out of the catalog.
            pub const fn excludes(self) -> bool {
                match self { $(Self::$variant => codes!(@ $effect)),+ }
            }

            /// What it means, in one sentence.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }
        }
    };
    (@ excludes) => { true };
    (@ loads) => { false };
}

codes! {
    // The file as bytes.
    UnreadableFile = "unreadable_file", Error, excludes, "The file could not be read.";
    FileTooLarge = "file_too_large", Error, excludes, "The file is larger than the reader's limit.";
    BinaryFile = "binary_file", Error, excludes, "The file holds NUL bytes, so it is no text.";
    InvalidUtf8 = "invalid_utf8", Warning, loads, "Bytes that are no UTF-8 were read as replacement characters.";
    ByteOrderMark = "byte_order_mark", Warning, loads, "The file begins with a byte order mark, which several readers refuse.";
    OddFileName = "odd_file_name", Warning, loads, "The file is not named exactly `SKILL.md`, so most readers do not see it.";

    // Frontmatter and YAML.
    MissingFrontmatter = "missing_frontmatter", Error, excludes, "The file has no frontmatter block.";
    UnclosedFrontmatter = "unclosed_frontmatter", Error, excludes, "The frontmatter block is opened and never closed.";
    LeadingBlankLines = "leading_blank_lines", Warning, loads, "Blank lines stand before the frontmatter, which several readers refuse.";
    FrontmatterNotMapping = "frontmatter_not_mapping", Error, excludes, "The frontmatter is no mapping of keys to values.";
    YamlInvalid = "yaml_invalid", Error, excludes, "The YAML cannot be read, and no repair applies.";
    YamlRepaired = "yaml_repaired", Warning, loads, "The YAML is broken and was read after a repair; other readers may drop the file.";
    YamlRefused = "yaml_refused", Error, excludes, "The YAML uses an anchor, an alias or a tag, which are refused.";
    YamlBudget = "yaml_budget", Error, excludes, "The YAML is deeper or larger than the reader's budget.";
    DuplicateKey = "duplicate_key", Warning, loads, "A key stands twice; the last one counts.";
    UnknownKey = "unknown_key", Warning, loads, "A key is not known, and looks like a misspelling or is not allowed by the profile.";
    ValueInvalid = "value_invalid", Warning, loads, "A value has a type or form that its key does not take; it was ignored or converted.";

    // What a skill says of itself.
    NameMissing = "name_missing", Warning, loads, "The skill or plugin has no name of its own; the directory or file name is used.";
    NameInvalid = "name_invalid", Warning, loads, "The name cannot serve as an identifier; the directory or file name is used and the name is shown.";
    NameMismatch = "name_mismatch", Info, loads, "The name differs from the directory name; both find the skill.";
    DescriptionMissing = "description_missing", Warning, loads, "The skill has no description, so models are not told of it.";
    DescriptionTooLong = "description_too_long", Warning, loads, "The description is longer than hosts take.";
    CompatibilityTooLong = "compatibility_too_long", Warning, loads, "The compatibility note is longer than 500 characters.";
    MetadataNotText = "metadata_not_text", Warning, loads, "The specification allows only text as metadata values.";
    ReservedWord = "reserved_word", Error, loads, "Hosted skill services reserve a word that the name uses.";
    AngleBracket = "angle_bracket", Error, loads, "Hosted skill services refuse angle brackets here.";
    VendorMetadataInvalid = "vendor_metadata_invalid", Error, excludes, "Metadata meant for a vendor's gate cannot be read, so the gate cannot be kept.";
    SidecarInvalid = "sidecar_invalid", Warning, loads, "A sidecar file beside the skill cannot be read; it was ignored.";
    KindConflict = "kind_conflict", Warning, loads, "The keys that say how the skill runs contradict each other; the strongest counts.";
    GlobInvalid = "glob_invalid", Warning, loads, "An activation pattern is no valid glob; it was ignored.";

    // Contracts.
    ContractInvalid = "contract_invalid", Error, excludes, "The skill's contract is malformed, so it cannot be held to it.";
    ParamsInvalid = "params_invalid", Error, excludes, "The declared parameters are malformed.";
    OutputsInvalid = "outputs_invalid", Error, excludes, "The declared result is malformed.";
    LimitOutOfBounds = "limit_out_of_bounds", Error, excludes, "A declared limit is no number or lies outside its bounds.";
    ToolUndeclared = "tool_undeclared", Error, excludes, "The skill dispatches to a tool that its contract does not declare.";
    ProfileUnknown = "profile_unknown", Error, excludes, "The contract names an execution profile that does not exist.";
    ScriptMissing = "script_missing", Warning, loads, "The declared script is not in the skill's directory.";

    // The body and the files beside it.
    BodyEmpty = "body_empty", Warning, loads, "The skill has no instructions below its frontmatter.";
    BodyLong = "body_long", Info, loads, "The instructions are longer than 500 lines; models read them whole.";
    BodyTooShort = "body_too_short", Warning, loads, "The instructions are too short to be of use.";
    CommandInert = "command_inert", Warning, loads, "A command injection in the body stays text: nothing runs outside a container.";
    RenderLimit = "render_limit", Warning, loads, "The rendered text reached its limit; later placeholders stay as written.";
    UnknownTool = "unknown_tool", Info, loads, "The body refers to a tool that is not known.";
    FileEscapes = "file_escapes", Error, excludes, "A file of the skill or plugin resolves outside its directory.";
    LinkBroken = "link_broken", Warning, loads, "A symbolic link leads nowhere.";
    LinkCycle = "link_cycle", Warning, loads, "A symbolic link leads back to a directory above it.";
    ScanLimit = "scan_limit", Warning, loads, "A directory holds more than the scan reads; the rest was left out.";

    // Plugins and marketplaces.
    PluginInvalid = "plugin_invalid", Error, excludes, "The plugin manifest breaks a rule that forbids loading it.";
    PluginField = "plugin_field", Warning, loads, "A field of the plugin manifest cannot be used; it was ignored.";
    PluginPath = "plugin_path", Error, loads, "A path in the plugin manifest is missing or leaves the plugin; it was ignored.";
    PluginEnvMissing = "plugin_env_missing", Warning, excludes, "The plugin requires environment variables that are not set; it was skipped.";
    PluginDependencyMissing = "plugin_dependency_missing", Warning, loads, "The plugin depends on a plugin that is not here.";
    ServerInvalid = "server_invalid", Warning, loads, "An MCP server entry cannot be used; it was ignored.";
    HooksInvalid = "hooks_invalid", Error, loads, "A plugin's hooks, or one of them, cannot be understood or lead out of the plugin; it never runs.";
    HookEventUnknown = "hook_event_unknown", Warning, loads, "A hook is for an event that does not exist, so it never runs.";
    MarketplaceInvalid = "marketplace_invalid", Error, loads, "The marketplace file, or an entry of it, cannot be used.";

    // Roots, contracts with the machine, configuration.
    RootUnreadable = "root_unreadable", Warning, loads, "A directory that should hold skills cannot be read.";
    ConfigInvalid = "config_invalid", Error, loads, "A configuration file cannot be read; it was ignored.";
    ConfigKeyUnknown = "config_key_unknown", Warning, loads, "A configuration key is not known.";
    ConfigKeyUntrusted = "config_key_untrusted", Warning, loads, "A project's file cannot set this key; only a person's own configuration can.";
    ConfigValueInvalid = "config_value_invalid", Warning, loads, "A configuration value has the wrong form; it was ignored.";
    ConfigPathMissing = "config_path_missing", Warning, loads, "A path in the configuration does not exist.";
    ConfigToolConflict = "config_tool_conflict", Warning, loads, "Skills that `mcp.skills` makes tools would have one name, or that of a tool of Guildhall's own; they are no tools.";
    AllowlistUnknown = "allowlist_unknown", Warning, loads, "An agent's allowlist names a skill that is not there, or that several bear.";
    ConfigNameUnknown = "config_name_unknown", Warning, loads, "The configuration switches a skill or plugin off by a name that none here has.";
    ValueCut = "value_cut", Warning, loads, "YAML takes the end of a text for a comment, so it was left out.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
