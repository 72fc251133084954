"""The words that generated skills are made of: plain English of ordinary skills, no real skill's text."""

VERBS = (
    "review", "format", "migrate", "profile", "deploy", "summarize", "translate", "validate",
    "refactor", "monitor", "document", "convert", "analyze", "benchmark", "package", "audit",
)

OBJECTS = (
    "invoices", "notebooks", "schemas", "dashboards", "pipelines", "containers", "changelogs", "reports",
    "queries", "manifests", "fixtures", "tickets", "diagrams", "transcripts", "endpoints", "spreadsheets",
)

PURPOSES = (
    "with clear steps and a short summary of what changed",
    "from a rough request to a result that a colleague can check",
    "in a repository that follows the usual layout",
    "and explain every decision in one sentence",
    "while keeping the original files untouched",
    "without network access, using only what the project has",
)

TRIGGERS = (
    "Use when the user asks for a second look before a release",
    "Use when a file of this kind is mentioned or attached",
    "Use when the output has to follow the team's conventions",
    "Use when an earlier attempt failed and the cause is unclear",
    "Use when several of them have to be handled in one go",
)

TAILS = (
    "Covers large inputs, partial failures and dry runs.",
    "Not meant for binary files or generated code.",
    "Prefers small edits that are easy to revert.",
    "Reports what was skipped and why.",
)

HEADINGS = (
    "Overview", "Before you start", "Steps", "Checks", "Output", "Examples", "When something fails", "Notes",
)

SENTENCES = (
    "Read the whole request first and list what is given, what is missing and what has to be assumed.",
    "Look for an existing convention in the repository before you introduce another one.",
    "Keep a note of every file that you touch, with one line that says why.",
    "If two sources disagree, prefer the newer one and mention the disagreement in the summary.",
    "Work on a copy until the checks pass; then write the result in one step.",
    "A result that cannot be reproduced is not a result: record the command and its version.",
    "Large inputs are split by section, never in the middle of a table or a code block.",
    "Numbers keep their unit and their precision; never round before the last step.",
    "Ask one question at a time, and only when the answer changes what happens next.",
    "Names follow the style of the surrounding code, even when another style would be nicer.",
    "Stop at the first error that would make later steps meaningless and say how to resume.",
    "Dates are written as year, month, day; times carry their offset.",
    "The summary has at most five lines: what was asked, what was done, what is left.",
    "Do not delete anything that was not created in the same session.",
    "Prefer the standard tools of the platform over a new dependency.",
    "Text in other languages stays as it is — café, naïve, Größe — unless a translation is asked for.",
    "Compare the result with the input once more: nothing may be lost silently.",
    "When a limit is reached, say which one and how much of the work is complete.",
)

COMMANDS = (
    "git status --short", "git diff --stat", "make check", "ls -la data/", "grep -rn deprecated src | head", "wc -l *.csv",
)
