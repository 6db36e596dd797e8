-- The latest lab test of an audit and strategy. `run` tells one test from the next of the same audit; `result` is JSON, also
-- while the test runs.

CREATE TABLE lab_tests (
    audit_id TEXT NOT NULL REFERENCES audits (id) ON DELETE CASCADE,
    strategy TEXT NOT NULL CHECK (strategy IN ('mobile', 'desktop')),
    run TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed')),
    started_at BIGINT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (audit_id, strategy)
);

CREATE INDEX lab_tests_running ON lab_tests (started_at, run) WHERE state = 'running';
