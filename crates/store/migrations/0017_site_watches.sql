-- Watches of sites: a run each day or week, compared with the last one that counts.

CREATE TABLE site_watches (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    -- JSON.
    options TEXT NOT NULL,
    -- Days between two runs.
    days BIGINT NOT NULL CHECK (days IN (1, 7)),
    -- When the next run is due; NULL while the watch is off.
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    -- What pays where nothing is free: a credit, and what a run spends of it at most.
    credit_id TEXT REFERENCES credits (id),
    most_micros BIGINT,
    -- Why the last run did not begin or failed, in a word; NULL where it did not. It is told by mail when it changes.
    problem TEXT
);

CREATE INDEX site_watches_of_owner ON site_watches (owner, created_at, id);
CREATE INDEX site_watches_due ON site_watches (due_at, id) WHERE due_at IS NOT NULL;

-- Links in alerts that stop a watch.
CREATE TABLE site_watch_links (
    token_digest BYTEA NOT NULL PRIMARY KEY,
    watch_id TEXT NOT NULL REFERENCES site_watches (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL
);

CREATE INDEX site_watch_links_expired ON site_watch_links (expires_at, token_digest);
CREATE INDEX site_watch_links_of_watch ON site_watch_links (watch_id);

-- The watch that a run is of, the run that it is compared with, what changed since that one as JSON, and the version of the
-- program that began it.
ALTER TABLE site_runs ADD COLUMN watch_id TEXT REFERENCES site_watches (id) ON DELETE SET NULL;
ALTER TABLE site_runs ADD COLUMN before_id TEXT;
ALTER TABLE site_runs ADD COLUMN changes TEXT;
ALTER TABLE site_runs ADD COLUMN program TEXT;

CREATE INDEX site_runs_of_watch ON site_runs (watch_id, created_at, id) WHERE watch_id IS NOT NULL;

-- The version of a page, for the conditional request of the next run.
ALTER TABLE site_pages ADD COLUMN etag TEXT;
ALTER TABLE site_pages ADD COLUMN last_modified TEXT;
