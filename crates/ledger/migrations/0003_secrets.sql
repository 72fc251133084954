-- Encrypted values of variables, one a name; what a row says stands in a signed record of the kind `secret` too, by its digest.

CREATE TABLE secrets (
    installation TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (installation, name)
);
