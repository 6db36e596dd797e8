-- Followed pages. A tab's runs are the audits of its owner with its URL as `requested_url`: also those made before the tab.

CREATE TABLE tabs (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    alias TEXT,
    created_at BIGINT NOT NULL,
    -- 1: watched daily. `watch_at` is when the next run is due, `watched_at` when the last one ended.
    monitor BIGINT NOT NULL,
    watch_at BIGINT,
    watched_at BIGINT,
    -- Where alerts go; null for the account's own address. 0 until its holder agreed.
    alert_email TEXT,
    alert_agreed BIGINT NOT NULL,
    UNIQUE (owner, url)
);

CREATE INDEX tabs_of_owner ON tabs (owner, created_at, id);
CREATE INDEX tabs_to_watch ON tabs (watch_at, id) WHERE monitor = 1;

-- The focused tab of an owner; its row is what changes of the owner's tabs lock.
CREATE TABLE workspaces (
    owner TEXT NOT NULL PRIMARY KEY,
    active_id TEXT
);

-- Links sent by mail: `agree` to alerts, `stop` them. `email` is null where it is the account's own.
CREATE TABLE watch_links (
    token_digest BYTEA NOT NULL PRIMARY KEY,
    tab_id TEXT NOT NULL REFERENCES tabs (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    email TEXT,
    expires_at BIGINT NOT NULL
);

CREATE INDEX watch_links_of_tab ON watch_links (tab_id);
CREATE INDEX watch_links_by_expiry ON watch_links (expires_at);

-- 1: a watch's run that could not reach its page.
ALTER TABLE audits ADD COLUMN failed BIGINT NOT NULL DEFAULT 0;
-- 1: a watch's run that somebody was told of.
ALTER TABLE audits ADD COLUMN alerted BIGINT NOT NULL DEFAULT 0;

CREATE INDEX audits_of_page ON audits (owner, requested_url, created_at, id) WHERE owner IS NOT NULL;
