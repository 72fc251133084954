-- Both databases read this text, so it keeps to what they share: TEXT and BIGINT, partial and expression indexes.
-- Texts in `body` are canonical JSON and signed; every other column repeats them for finding rows, and is checked against
-- them by `verify`.

CREATE TABLE installations (
    id TEXT PRIMARY KEY NOT NULL,
    public_key TEXT NOT NULL
);

CREATE TABLE receipts (
    installation TEXT NOT NULL,
    seq BIGINT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    agent TEXT NOT NULL,
    code TEXT NOT NULL,
    skill TEXT,
    run TEXT,
    -- The record that this receipt brought into force, or the one that it ended. A record ends once.
    begins TEXT,
    ends TEXT,
    body TEXT NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (installation, seq)
);

CREATE UNIQUE INDEX receipts_id ON receipts (id);
CREATE INDEX receipts_agent ON receipts (agent, id);
CREATE INDEX receipts_code ON receipts (code, id);
CREATE INDEX receipts_skill ON receipts (skill, id) WHERE skill IS NOT NULL;
-- A run starts once and ends once; its other receipts have no stage and may be many.
CREATE UNIQUE INDEX receipts_run ON receipts (run, (CASE kind WHEN 'started' THEN 0 WHEN 'finished' THEN 1 WHEN 'interrupted' THEN 1 END))
    WHERE run IS NOT NULL;
CREATE UNIQUE INDEX receipts_begins ON receipts (begins) WHERE begins IS NOT NULL;
CREATE UNIQUE INDEX receipts_ends ON receipts (ends) WHERE ends IS NOT NULL;

-- The runs that have started and not ended; what it says follows from the receipts.
CREATE TABLE open_runs (
    run TEXT PRIMARY KEY NOT NULL,
    installation TEXT NOT NULL,
    receipt TEXT NOT NULL
);

-- Grants, requests, tokens and suppressions.
CREATE TABLE records (
    id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    installation TEXT NOT NULL,
    agent TEXT,
    skill TEXT,
    digest TEXT,
    expires BIGINT,
    -- The receipt that ended it.
    ended TEXT,
    body TEXT NOT NULL,
    signature TEXT NOT NULL
);

CREATE INDEX records_subject ON records (kind, agent, skill, id);
CREATE INDEX records_active ON records (kind, agent, skill) WHERE ended IS NULL;
CREATE INDEX records_digest ON records (kind, digest) WHERE ended IS NULL;
