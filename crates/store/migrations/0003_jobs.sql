-- Work that no caller waits for. `state` is 'waiting', 'done' or 'dead'; whoever runs a job holds it until
-- `locked_until`, under the number `fence`, which grows with each claim. `payload` is emptied when the work is done: it
-- may hold an address or a link.

CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    lane TEXT NOT NULL,
    unique_key TEXT UNIQUE,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    run_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    locked_until BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    last_error TEXT
);

CREATE INDEX jobs_waiting ON jobs (lane, run_at, id) WHERE state = 'waiting';
CREATE INDEX jobs_by_state ON jobs (state, run_at, id);
CREATE INDEX jobs_ended ON jobs (ended_at, id) WHERE state <> 'waiting';
