-- Statistics: numbers by day and hour, and nothing of a caller. `kind` says what is counted, `name` which of them; days
-- and hours count from 1970-01-01 UTC.

CREATE TABLE day_counts (
    day BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (day, kind, name)
);

CREATE TABLE hour_counts (
    hour BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (hour, kind, name)
);

-- HyperLogLog sketches: how many visitors, never who.
CREATE TABLE visitor_sketches (
    day BIGINT NOT NULL,
    reader TEXT NOT NULL,
    sketch BYTEA NOT NULL,
    PRIMARY KEY (day, reader)
);

-- Minutes since 1970-01-01 in which some server answered its health check with the database up.
CREATE TABLE healthy_minutes (
    minute BIGINT NOT NULL PRIMARY KEY
);

-- Batches of counts that were added: one that is sent again, since its first answer was lost, adds nothing.
CREATE TABLE count_batches (
    id TEXT NOT NULL PRIMARY KEY,
    added_at BIGINT NOT NULL
);

CREATE INDEX count_batches_by_time ON count_batches (added_at);

-- The newest of what was counted, by the place that it came from.
CREATE TABLE count_cursors (
    name TEXT NOT NULL PRIMARY KEY,
    counted_at BIGINT NOT NULL
);

-- The published statistics, for all servers.
CREATE TABLE showcase (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    hour BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    body TEXT NOT NULL
);

-- The published statistics of other installations, as last read.
CREATE TABLE showcase_peers (
    base_url TEXT NOT NULL PRIMARY KEY,
    read_at BIGINT NOT NULL,
    body TEXT NOT NULL
);

INSERT INTO day_counts (day, kind, name, n)
SELECT created_at / 86400000, 'event', 'audit', COUNT(*) FROM audits GROUP BY created_at / 86400000;
