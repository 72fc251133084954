//! The closed table of finding codes: the one place where a code, its classes, its meaning and the advice are written.
//!
//! Codes are API: dotted, never renamed, never reused. What provokes a code stands with its matcher; examples of
//! each, true and false, are in `test_data/rules`. It decides nothing: see `verdict`.

use std::fmt;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Worth a look; a person may suppress it for one content.
    Warn,
    /// The skill is refused; only a person's configuration turns it into a warning.
    Deny,
}

impl Tier {
    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

macro_rules! codes {
    ($($variant:ident = $text:literal, $tier:ident, [$($class:literal),+], $about:literal, $advice:literal;)+) => {
        /// What was found.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

            /// How much it weighs.
            pub const fn tier(self) -> Tier {
                match self { $(Self::$variant => Tier::$tier),+ }
            }

            /// The classes of the OWASP Agentic Skills Top 10 that it belongs to.
            pub const fn classes(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($class),+]),+ }
            }

            /// What it means, in one sentence.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }

            /// What to do about it.
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice),+ }
            }
        }
    };
}

codes! {
    // Commands of a shell, in scripts and in instructions.
    PipeToInterpreter = "deny.shell.pipe_to_interpreter", Deny, ["AST01", "AST02"],
        "What is downloaded from an address that is no publisher's installer is executed unseen.",
        "download to a file, check its digest, then run it; or ship the script with the skill";
    DecodeToInterpreter = "deny.shell.decode_to_interpreter", Deny, ["AST01", "AST08"],
        "Encoded text is decoded and executed, so that nobody can read what runs.",
        "write the commands out in plain text";
    DestroyFiles = "deny.shell.destroy_files", Deny, ["AST01", "AST03"],
        "A command deletes the root, a home directory or everything below one of them.",
        "name the directory that is to be deleted";
    DestroyDisk = "deny.shell.destroy_disk", Deny, ["AST01", "AST03"],
        "A command formats or overwrites a disk.",
        "leave disks alone; work on files";
    ForkBomb = "deny.shell.fork_bomb", Deny, ["AST01"],
        "A function starts itself without end until the machine stands still.",
        "remove it";
    OpenPermissions = "deny.shell.open_permissions", Deny, ["AST03"],
        "A command lets everybody write to the root or a system directory.",
        "change the mode of the one file that needs it";
    ForcePush = "deny.shell.force_push", Deny, ["AST03"],
        "A command overwrites the history of a shared main branch.",
        "push to a branch of its own, or use `--force-with-lease` on it";
    ReverseShell = "deny.shell.reverse_shell", Deny, ["AST01"],
        "A shell's input and output are connected to another machine.",
        "remove it";
    PlantKey = "deny.shell.plant_key", Deny, ["AST01", "AST03"],
        "A command adds a key that may log in to this machine.",
        "let people manage their `authorized_keys` themselves";
    InstallerPipe = "warn.shell.pipe_to_interpreter", Warn, ["AST02"],
        "A publisher's installer is downloaded and executed in one step.",
        "look at the installer first, or install the tool from a package manager";
    AssembledCommand = "warn.shell.assembled_command", Warn, ["AST08"],
        "The name of a command is put together from pieces.",
        "write the command's name";
    EvalVariable = "warn.shell.eval", Warn, ["AST05", "AST08"],
        "Text that is not known beforehand is executed as commands.",
        "call the command directly, with its arguments quoted";
    Persistence = "warn.shell.persistence", Warn, ["AST03"],
        "A command makes something start again later: a start-up file, a timer or a service.",
        "tell the person what to add and where, instead of adding it";
    DisableProtection = "warn.shell.disable_protection", Warn, ["AST03", "AST06"],
        "A command switches off a protection of the system.",
        "leave the protection on, or let the person decide";

    // Programs in Python and JavaScript.
    ExecDecoded = "deny.code.exec_decoded", Deny, ["AST01", "AST08"],
        "A program decodes text and executes it, so that nobody can read what runs.",
        "ship the code in plain text";
    ExecRemote = "deny.code.exec_remote", Deny, ["AST01", "AST02"],
        "A program downloads code and executes it.",
        "ship the code with the skill";
    HiddenCall = "deny.code.hidden_call", Deny, ["AST01", "AST08"],
        "A program hides the name of a function that runs commands or code.",
        "call the function by its name";
    DynamicCode = "warn.code.dynamic", Warn, ["AST05"],
        "A program executes code that is made while it runs.",
        "call functions by name; parse data with a parser";
    UnsafeLoad = "warn.code.unsafe_load", Warn, ["AST05"],
        "A program reads data in a format that can run code.",
        "use JSON, `yaml.safe_load`, or another format that holds data alone";
    Unreadable = "warn.code.unreadable", Warn, ["AST08"],
        "A script consists of lines that no person can read.",
        "ship the source instead of packed or minified code";

    // Where data goes.
    CredentialsToNetwork = "deny.flow.credentials_to_network", Deny, ["AST01", "AST03"],
        "The content of a file of credentials, of a browser's store or of a wallet is sent over the network.",
        "take the one secret that is needed from the environment, and declare it";
    EnvironmentToNetwork = "deny.flow.environment_to_network", Deny, ["AST01", "AST03"],
        "All environment variables are sent over the network.",
        "send the one value that is needed";
    SecretToDropSite = "deny.flow.secret_to_drop_site", Deny, ["AST01"],
        "A secret is sent to a service where anybody collects what others send.",
        "remove it";
    CredentialRead = "warn.flow.credential_read", Warn, ["AST03"],
        "A file of credentials is read.",
        "take the one secret that is needed from the environment, and declare it";
    DropSite = "warn.flow.drop_site", Warn, ["AST01"],
        "Something is sent to a service where anybody collects what others send.",
        "send it to an address of the service the skill is for";
    BareAddress = "warn.flow.bare_address", Warn, ["AST02"],
        "A connection goes to a bare IP address.",
        "use the name of the host, over TLS";

    // What people are talked into.
    PasswordArchive = "deny.lure.password_archive", Deny, ["AST01", "AST02"],
        "A person or agent is told to download an archive locked with a password, which no scanner can open.",
        "link to the publisher's package, unlocked and with its digest";
    PasteCommand = "deny.lure.paste_command", Deny, ["AST01", "AST02"],
        "A person or agent is told to fetch commands from a page and to run them.",
        "write the commands into the skill";
    FakePrerequisite = "deny.lure.fake_prerequisite", Deny, ["AST01", "AST02"],
        "A program that must first be downloaded from an unknown place and run is made a condition of the skill.",
        "name a package of a known package manager";

    // What stands in the text.
    HiddenCharacters = "deny.text.hidden_characters", Deny, ["AST01", "AST04"],
        "The text carries a message in characters that people cannot see.",
        "remove the invisible characters";
    BidiOverride = "deny.text.bidi_override", Deny, ["AST04"],
        "Characters turn the direction of the text, so that it reads otherwise than it is.",
        "remove the direction marks";
    EncodedInstructions = "deny.text.encoded_instructions", Deny, ["AST01", "AST08"],
        "Encoded text holds instructions or commands that would be denied in plain text.",
        "write it in plain text";
    OverrideInstructions = "deny.text.override_instructions", Deny, ["AST01"],
        "The model is told to forget or to go against what it was told before.",
        "say what the skill does, and leave other instructions alone";
    InstructedTheft = "deny.text.instructed_theft", Deny, ["AST01"],
        "The model is told to send credentials or private files somewhere.",
        "remove it";
    Conceal = "deny.text.conceal", Deny, ["AST01"],
        "The model is told to hide from its user that it sends, runs or changes something.",
        "let the user know what the skill does";
    FewHiddenCharacters = "warn.text.hidden_characters", Warn, ["AST04"],
        "The text holds invisible characters.",
        "remove them if they are there by accident";
    Confusable = "warn.text.confusable", Warn, ["AST04"],
        "A word mixes letters of several scripts that look alike.",
        "write the word in one script";
    Secrecy = "warn.text.secrecy", Warn, ["AST01"],
        "The model is told not to tell its user something.",
        "say why, or leave it out";
    RemoteInstructions = "warn.text.remote_instructions", Warn, ["AST02", "AST07"],
        "The model is told to fetch a text and to follow it; whoever owns that address decides what it does.",
        "put the instructions into the skill";
    DangerousExample = "warn.text.dangerous_example", Warn, ["AST08"],
        "Something that would be denied stands here as a warning or an example.",
        "check that it is shown and not asked for";

    // Metadata.
    ConfusableName = "deny.name.confusable", Deny, ["AST04"],
        "The name looks like another name but is written with other letters.",
        "write the name in one script";
    FrontmatterBomb = "deny.frontmatter.bomb", Deny, ["AST05"],
        "The frontmatter is built to exhaust whoever reads it.",
        "write plain keys and values";
    FrontmatterTag = "deny.frontmatter.tag", Deny, ["AST05"],
        "The frontmatter uses YAML tags, anchors or aliases, which make some readers run code.",
        "write plain keys and values";
    Breakout = "deny.frontmatter.breakout", Deny, ["AST04"],
        "The name or description contains markup that ends or imitates what a host puts around it.",
        "describe the skill in plain words";

    // Files.
    LinkEscape = "deny.file.link_escape", Deny, ["AST03"],
        "A symbolic link leads out of the skill.",
        "copy the file into the skill";
    SpecialFile = "deny.file.special", Deny, ["AST03"],
        "A file is a device, a pipe or a socket.",
        "remove it";
    Executable = "warn.file.executable", Warn, ["AST08"],
        "A compiled program is shipped; nobody can read what it does.",
        "ship its source, or name a package that provides it";
    ActiveContent = "deny.asset.active_content", Deny, ["AST01"],
        "An image or document contains a script that runs when it is shown.",
        "remove the script";
    ActivePage = "warn.asset.active_content", Warn, ["AST06"],
        "A page loads a script from elsewhere.",
        "ship the script with the skill";
    BytecodeMismatch = "deny.bytecode.mismatch", Deny, ["AST01", "AST08"],
        "Compiled Python does not come from the source beside it.",
        "remove the compiled file; Python makes it anew";
    BytecodeAlone = "warn.bytecode.alone", Warn, ["AST08"],
        "Compiled Python is shipped without its source.",
        "ship the source";
    HiddenScript = "deny.archive.hidden_script", Deny, ["AST01", "AST08"],
        "A document contains a program.",
        "ship the program as a file of its own";
    ArchiveEscape = "deny.archive.escape", Deny, ["AST02", "AST03"],
        "An archive contains a path or link that leads out of the directory it is unpacked to.",
        "remove it";
    Macro = "warn.archive.macro", Warn, ["AST01"],
        "A document contains macros.",
        "save the document without macros";
    Locked = "warn.archive.locked", Warn, ["AST08"],
        "An archive is encrypted, so that nobody can look into it.",
        "ship the files unlocked";
    Secret = "warn.secret.committed", Warn, ["AST03"],
        "Something that looks like a live secret stands in a file.",
        "revoke it, and take it from the environment";

    // Dependencies.
    InstallHook = "warn.dependency.install_hook", Warn, ["AST02"],
        "Installing the package runs commands.",
        "let people run the step themselves";
    LookAlike = "warn.dependency.look_alike", Warn, ["AST02"],
        "A package has almost the name of a well-known one.",
        "check the spelling of the package's name";
    ForeignRegistry = "warn.dependency.foreign_registry", Warn, ["AST02"],
        "Packages are taken from an address that is no public registry.",
        "use the public registry, or say why not";

    // Declared against seen.
    UndeclaredNetwork = "warn.contract.undeclared_network", Warn, ["AST03", "AST04"],
        "Scripts use the network, and the contract does not declare it.",
        "declare `capabilities.network: host`, or do without";
    UndeclaredEnvironment = "warn.contract.undeclared_env", Warn, ["AST03", "AST04"],
        "Scripts read an environment variable that the contract does not declare.",
        "add it to `capabilities.env`";
    UndeclaredWrite = "warn.contract.undeclared_write", Warn, ["AST03", "AST04"],
        "Scripts write to the workspace, and the contract does not declare it.",
        "declare `capabilities.workspace: write`, or write to `/output`";
    UnusedNetwork = "warn.contract.unused_network", Warn, ["AST03"],
        "The contract declares the network, and no script uses it.",
        "take `capabilities.network` out";
    UnusedEnvironment = "warn.contract.unused_env", Warn, ["AST03"],
        "The contract declares an environment variable that no script reads.",
        "take it out of `capabilities.env`";
    UnusedWrite = "warn.contract.unused_write", Warn, ["AST03"],
        "The contract declares write access to the workspace, and no script writes.",
        "take `capabilities.workspace` out";
    UnknownTool = "warn.reference.unknown_tool", Warn, ["AST10"],
        "The instructions speak of a tool that nobody knows.",
        "check the tool's name";
    Structure = "warn.structure.weak", Warn, ["AST09"],
        "The skill lacks a part that a playbook should have.",
        "add what is missing";

    // The scan itself.
    Partial = "warn.scan.partial", Warn, ["AST08"],
        "A limit was reached and something was left unread; that is never a clean result.",
        "make the file smaller, or look at it yourself";
}

impl Code {
    /// The code of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
