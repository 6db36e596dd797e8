-- Public addresses of audits. A revoked one keeps its row, so that its badge says so and its slug is never given again.

CREATE TABLE shares (
    slug TEXT NOT NULL PRIMARY KEY,
    audit_id TEXT NOT NULL REFERENCES audits (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    picture_en BYTEA,
    picture_pt BYTEA
);

CREATE UNIQUE INDEX share_in_force ON shares (audit_id) WHERE revoked_at IS NULL;
CREATE INDEX shares_of_audit ON shares (audit_id);
