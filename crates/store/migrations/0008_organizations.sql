-- Accounts that act together. What an organization owns has the `owner` `organization:<id>`.

CREATE TABLE organizations (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- 1: members without a second factor see nothing of it.
    requires_second_factor BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- From when on it is removed; until then this can be undone.
    delete_after BIGINT
);

CREATE INDEX organizations_to_delete ON organizations (delete_after) WHERE delete_after IS NOT NULL;

-- The products that an organization may have keys for.
CREATE TABLE organization_products (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    product TEXT NOT NULL,
    enabled_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, product)
);

CREATE TABLE members (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, account_id)
);

CREATE INDEX members_of_account ON members (account_id, organization_id);

CREATE TABLE invitations (
    id TEXT NOT NULL PRIMARY KEY,
    token_digest BYTEA NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    -- As in `accounts`.
    email_canonical TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
    invited_by TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    accepted_at BIGINT,
    revoked_at BIGINT
);

CREATE INDEX invitations_of_organization ON invitations (organization_id, created_at, id);
CREATE INDEX invitations_by_expiry ON invitations (expires_at, id);
