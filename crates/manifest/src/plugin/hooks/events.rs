//! The events that hooks can be for: a table, so that a misspelled one is told.

/// Whose event it is, and so how its hooks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Ours.
    Own,
    /// Of other hosts; nothing here obeys most of them.
    Hosts,
}

const OWN: &[&str] = &["before_run", "after_run", "onEnable", "onDisable"];

const HOSTS: &[&str] = &[
    // Claude Code and those who read its files.
    "SessionStart",
    "Setup",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "MessageDisplay",
    "SubagentStart",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "Stop",
    "StopFailure",
    "TeammateIdle",
    "InstructionsLoaded",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "PreCompact",
    "PostCompact",
    "Elicitation",
    "ElicitationResult",
    "SessionEnd",
    // Gemini CLI.
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "BeforeTool",
    "AfterTool",
    "PreCompress",
    // Copilot and Cursor.
    "sessionStart",
    "sessionEnd",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "permissionRequest",
    "notification",
    "errorOccurred",
    "agentStop",
    "subagentStart",
    "subagentStop",
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeSubmitPrompt",
    "preCompact",
    "stop",
    "afterAgentResponse",
    "afterAgentThought",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "workspaceOpen",
];

/// Whose event bears this name; none for what is no event.
pub(super) fn family(name: &str) -> Option<Family> {
    match name {
        name if OWN.contains(&name) => Some(Family::Own),
        name if HOSTS.contains(&name) => Some(Family::Hosts),
        _ => None,
    }
}

/// Every event, ours first.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    OWN.iter().chain(HOSTS).copied()
}
