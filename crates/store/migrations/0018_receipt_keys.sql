-- Public keys that signed receipts: each stays in the key set of the server after its secret was replaced. `id` is the
-- thumbprint of the key (RFC 7638), `public_key` its 32 bytes (RFC 8032).
CREATE TABLE receipt_keys (
    id TEXT NOT NULL PRIMARY KEY,
    public_key BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
