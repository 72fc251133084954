-- What is installed here, how it is set and what has happened to it. What a row says stands in a signed record of the kind
-- `registration` too, which `record` names; the rows are there for finding and reading, and `verify` compares the two.
-- Several installations may share a database, and each has its own disk.

CREATE TABLE plugins (
    installation TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    version TEXT,
    source TEXT NOT NULL,
    source_type TEXT NOT NULL,
    resolved TEXT,
    digest TEXT,
    -- Where it lies: a directory or file, or `builtin:` and a name.
    place TEXT NOT NULL,
    -- Words with a comma between them.
    capabilities TEXT NOT NULL,
    required_env_vars TEXT NOT NULL,
    status TEXT NOT NULL,
    status_reason TEXT,
    enabled_by TEXT,
    enabled_at TEXT,
    installed_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (installation, id)
);

CREATE UNIQUE INDEX plugins_place ON plugins (installation, place);

CREATE TABLE plugin_config (
    installation TEXT NOT NULL,
    plugin_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    is_encrypted BIGINT NOT NULL DEFAULT 0,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (installation, plugin_id, key),
    FOREIGN KEY (installation, plugin_id) REFERENCES plugins (installation, id) ON DELETE CASCADE
);

-- The id of an event is that of its receipt, which stays when the plugin goes.
CREATE TABLE plugin_events (
    id TEXT PRIMARY KEY NOT NULL,
    installation TEXT NOT NULL,
    plugin_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    details TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    FOREIGN KEY (installation, plugin_id) REFERENCES plugins (installation, id) ON DELETE CASCADE
);

CREATE INDEX plugin_events_plugin ON plugin_events (installation, plugin_id, id);
