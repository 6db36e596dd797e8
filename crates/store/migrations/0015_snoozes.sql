-- Findings of a followed page that its owner has put off: kept out of alerts and of what to fix first until a time, never
-- out of the score.

CREATE TABLE snoozes (
    tab_id TEXT NOT NULL REFERENCES tabs (id) ON DELETE CASCADE,
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    ends_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tab_id, code)
);

-- What its owner writes down of a page: words to find it by, one a line, and a text.
ALTER TABLE tabs ADD COLUMN tags TEXT;
ALTER TABLE tabs ADD COLUMN note TEXT;
