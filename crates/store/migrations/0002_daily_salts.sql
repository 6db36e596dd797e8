-- Networks are kept as hashes only, and what they are hashed with is forgotten with its day.

CREATE TABLE daily_salts (
    day BIGINT NOT NULL PRIMARY KEY,
    salt BYTEA NOT NULL
);
