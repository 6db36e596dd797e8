-- Accounts and what proves who somebody is. Secrets are kept as SHA-256 digests; a password as its Argon2id hash; the
-- secret of a second factor encrypted. `owner` is `account:<id>` or `organization:<id>`, as in other tables.

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    -- As addresses are compared: trimmed, lower case, the domain in ASCII.
    email_canonical TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    locale TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    theme TEXT NOT NULL,
    -- Grows with each change of the profile.
    revision BIGINT NOT NULL,
    -- PHC string; null for an account that has passkeys only.
    password TEXT,
    password_set_at BIGINT,
    -- `active`, `suspended` or `deleting`.
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- When the trial began, with the first call that has a price.
    trial_started_at BIGINT,
    -- From when on it is removed.
    delete_after BIGINT
);

CREATE INDEX accounts_to_delete ON accounts (delete_after) WHERE delete_after IS NOT NULL;

CREATE TABLE avatars (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    -- WebP.
    image BYTEA NOT NULL,
    changed_at BIGINT NOT NULL
);

-- Links sent by mail. `purpose` is `register`, `reset`, `change` or `undo`; `email` the address that it is about.
CREATE TABLE email_tokens (
    token_digest BYTEA NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    email TEXT NOT NULL,
    account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX email_tokens_of_account ON email_tokens (account_id, purpose) WHERE account_id IS NOT NULL;
CREATE INDEX email_tokens_by_expiry ON email_tokens (expires_at);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    token_digest BYTEA NOT NULL UNIQUE,
    -- The token before the last rotation, good for reads in flight.
    previous_digest BYTEA UNIQUE,
    previous_until BIGINT,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- 1: one factor, 2: two.
    assurance BIGINT NOT NULL,
    -- How its holder signed in, separated by spaces: `password`, `totp`, `recovery`, `passkey`, `email`.
    methods TEXT NOT NULL,
    -- When its holder last proved who they are.
    proven_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    idle_expires_at BIGINT NOT NULL,
    absolute_expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    end_reason TEXT,
    -- For its owner to recognise it: the browser's family and the network's /24 or /48.
    agent TEXT NOT NULL,
    network TEXT NOT NULL
);

CREATE INDEX sessions_of_account ON sessions (account_id, last_seen_at, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_end ON sessions (absolute_expires_at, id);

-- The time between a right password and the second factor.
CREATE TABLE signin_challenges (
    token_digest BYTEA NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Digest of the browser's bootstrap cookie.
    browser_digest BYTEA NOT NULL,
    expires_at BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX signin_challenges_of_account ON signin_challenges (account_id) WHERE used_at IS NULL;
CREATE INDEX signin_challenges_by_expiry ON signin_challenges (expires_at);

CREATE TABLE totp_secrets (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    -- XChaCha20-Poly1305: 24 bytes of nonce, then the ciphertext.
    secret BYTEA NOT NULL,
    -- Which key it is encrypted with.
    key_id TEXT NOT NULL,
    -- Null until a code proved that the owner has it.
    confirmed_at BIGINT,
    -- The time step of the last code that was taken; only a later one is taken again.
    last_step BIGINT NOT NULL,
    -- From when on it is removed, at the owner's request to an operator.
    remove_after BIGINT
);

CREATE TABLE recovery_codes (
    code_digest BYTEA NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    used_at BIGINT
);

CREATE INDEX recovery_codes_of_account ON recovery_codes (account_id);

CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    credential_id BYTEA NOT NULL UNIQUE,
    public_key BYTEA NOT NULL,
    sign_count BIGINT NOT NULL,
    transports TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);

CREATE INDEX passkeys_of_account ON passkeys (account_id, created_at, id);

CREATE TABLE webauthn_challenges (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    challenge_digest BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX webauthn_challenges_by_digest ON webauthn_challenges (challenge_digest);
CREATE INDEX webauthn_challenges_by_expiry ON webauthn_challenges (expires_at);

-- Failures that make the next try wait. `key_digest` is of an account's id or a network.
CREATE TABLE throttles (
    scope TEXT NOT NULL,
    key_digest BYTEA NOT NULL,
    window_start BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    blocked_until BIGINT NOT NULL,
    PRIMARY KEY (scope, key_digest)
);

CREATE INDEX throttles_by_window ON throttles (window_start);

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    product TEXT NOT NULL,
    -- The account that made it.
    created_by TEXT NOT NULL,
    name TEXT NOT NULL,
    token_digest BYTEA NOT NULL UNIQUE,
    last4 TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
);

CREATE INDEX api_keys_of_owner ON api_keys (owner, created_at, id);
CREATE INDEX api_keys_live ON api_keys (owner, product) WHERE revoked_at IS NULL;

-- What happened to accounts, for their owners and the operator. Rows are added, never changed.
CREATE TABLE security_events (
    id TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    -- `account`, `operator` or `nobody`.
    actor_kind TEXT NOT NULL,
    actor_id TEXT,
    account_id TEXT,
    organization_id TEXT,
    kind TEXT NOT NULL,
    network TEXT NOT NULL,
    agent TEXT NOT NULL,
    -- JSON.
    detail TEXT NOT NULL
);

CREATE INDEX security_events_of_account ON security_events (account_id, at, id) WHERE account_id IS NOT NULL;
CREATE INDEX security_events_of_organization ON security_events (organization_id, at, id)
    WHERE organization_id IS NOT NULL;

-- The account that took a guest's things over; the guest's token opens nothing afterwards.
ALTER TABLE guests ADD COLUMN claimed_by TEXT;
ALTER TABLE guests ADD COLUMN claimed_at BIGINT;
