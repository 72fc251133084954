//! The verbs that agents have by MCP: `review` and `security_review`, where the skill, its enablement and a runner exist.
