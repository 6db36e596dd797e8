-- Human verification: challenges that were solved, so that none is taken twice, by whichever server. `digest` is the SHA-256
-- of the challenge or of the token of a verification service.

CREATE TABLE used_challenges (
    digest BYTEA NOT NULL PRIMARY KEY,
    -- From when on the challenge itself has expired everywhere, so that the row may go.
    expires_at BIGINT NOT NULL
);

CREATE INDEX used_challenges_by_expiry ON used_challenges (expires_at);
