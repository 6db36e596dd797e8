-- Runs over whole sites. The state of a run is its pages in order: `done` counts those that are committed, `asked` those that
-- were given out. What may be asked when is settled here, so that several servers ask together as one would.

CREATE TABLE site_runs (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    -- What limits count: the registrable domain or the address; NULL for the operator's own machines.
    target TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed')),
    -- Why a run ended before its site did, or failed, in a word.
    reason TEXT,
    -- JSON.
    options TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- What the site answered at the beginning, packed; NULL before.
    begun BYTEA,
    -- Milliseconds between two requests, and when the next may begin.
    gap_ms BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    asked BIGINT NOT NULL,
    done BIGINT NOT NULL,
    -- Addresses that are known, that did not answer or with an error of the server, and pages that were audited.
    found BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    audited BIGINT NOT NULL,
    -- What pays a page: NULL where nothing has to. `network` and `wide` are keys of `daily_counters` on `day`.
    price_micros BIGINT,
    most_micros BIGINT,
    spent_micros BIGINT NOT NULL,
    free_audits BIGINT NOT NULL,
    credit_id TEXT REFERENCES credits (id),
    network TEXT,
    wide TEXT,
    day BIGINT,
    -- Of a finished run: what is known besides its pages, packed, and its figures as JSON.
    inputs BYTEA,
    figures TEXT
);

CREATE INDEX site_runs_of_owner ON site_runs (owner, created_at, id);
CREATE INDEX site_runs_running ON site_runs (created_at, id) WHERE state = 'running';
CREATE INDEX site_runs_of_target ON site_runs (target) WHERE state = 'running';
CREATE INDEX site_runs_ended ON site_runs (ended_at, id) WHERE state <> 'running';

-- Pages that were given out to a seat of the run, with what came of them. A seat asks for one page at a time.
CREATE TABLE site_pages (
    run_id TEXT NOT NULL REFERENCES site_runs (id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    url TEXT NOT NULL,
    seat BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    -- Packed; NULL before there is an answer.
    facts BYTEA,
    report BYTEA,
    answer TEXT,
    status BIGINT,
    score BIGINT,
    findings BIGINT,
    PRIMARY KEY (run_id, place)
);
