-- The first tables. Portable: TEXT, BIGINT and BYTEA only, times as Unix milliseconds.

CREATE TABLE audits (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT,
    requested_url TEXT NOT NULL,
    url TEXT NOT NULL,
    score BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    body BYTEA NOT NULL
);

CREATE INDEX audits_of_owner ON audits (owner, created_at, id) WHERE owner IS NOT NULL;
CREATE INDEX audits_of_nobody ON audits (created_at, id) WHERE owner IS NULL;

CREATE TABLE guests (
    id TEXT NOT NULL PRIMARY KEY,
    token_digest BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
);

CREATE INDEX guests_by_last_seen ON guests (last_seen_at, id);

-- `day` counts from 1970-01-01.
CREATE TABLE daily_counters (
    network TEXT NOT NULL,
    sku TEXT NOT NULL,
    day BIGINT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (network, sku, day)
);

CREATE INDEX daily_counters_by_day ON daily_counters (day);

-- `spent_until` is the instant at which the bucket is full again.
CREATE TABLE hourly_counters (
    bucket TEXT NOT NULL PRIMARY KEY,
    spent_until BIGINT NOT NULL
);
