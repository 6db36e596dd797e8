-- What all migrations make of an empty SQLite database. Written by a test: `cargo xtask gen`.

CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);

CREATE TABLE audits (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT,
    requested_url TEXT NOT NULL,
    url TEXT NOT NULL,
    score BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    body BYTEA NOT NULL
, failed BIGINT NOT NULL DEFAULT 0, alerted BIGINT NOT NULL DEFAULT 0);

CREATE INDEX audits_of_owner ON audits (owner, created_at, id) WHERE owner IS NOT NULL;

CREATE INDEX audits_of_nobody ON audits (created_at, id) WHERE owner IS NULL;

CREATE TABLE guests (
    id TEXT NOT NULL PRIMARY KEY,
    token_digest BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
, claimed_by TEXT, claimed_at BIGINT);

CREATE INDEX guests_by_last_seen ON guests (last_seen_at, id);

CREATE TABLE daily_counters (
    network TEXT NOT NULL,
    sku TEXT NOT NULL,
    day BIGINT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (network, sku, day)
);

CREATE INDEX daily_counters_by_day ON daily_counters (day);

CREATE TABLE hourly_counters (
    bucket TEXT NOT NULL PRIMARY KEY,
    spent_until BIGINT NOT NULL
);

CREATE TABLE daily_salts (
    day BIGINT NOT NULL PRIMARY KEY,
    salt BYTEA NOT NULL
);

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
, traceparent TEXT);

CREATE INDEX jobs_waiting ON jobs (lane, run_at, id) WHERE state = 'waiting';

CREATE INDEX jobs_by_state ON jobs (state, run_at, id);

CREATE INDEX jobs_ended ON jobs (ended_at, id) WHERE state <> 'waiting';

CREATE TABLE tabs (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    alias TEXT,
    created_at BIGINT NOT NULL,
    -- 1: watched daily. `watch_at` is when the next run is due, `watched_at` when the last one ended.
    monitor BIGINT NOT NULL,
    watch_at BIGINT,
    watched_at BIGINT,
    -- Where alerts go; null for the account's own address. 0 until its holder agreed.
    alert_email TEXT,
    alert_agreed BIGINT NOT NULL, withheld TEXT, tags TEXT, note TEXT,
    UNIQUE (owner, url)
);

CREATE INDEX tabs_of_owner ON tabs (owner, created_at, id);

CREATE INDEX tabs_to_watch ON tabs (watch_at, id) WHERE monitor = 1;

CREATE TABLE workspaces (
    owner TEXT NOT NULL PRIMARY KEY,
    active_id TEXT
);

CREATE TABLE watch_links (
    token_digest BYTEA NOT NULL PRIMARY KEY,
    tab_id TEXT NOT NULL REFERENCES tabs (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    email TEXT,
    expires_at BIGINT NOT NULL
);

CREATE INDEX watch_links_of_tab ON watch_links (tab_id);

CREATE INDEX watch_links_by_expiry ON watch_links (expires_at);

CREATE INDEX audits_of_page ON audits (owner, requested_url, created_at, id) WHERE owner IS NOT NULL;

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

CREATE TABLE email_tokens (
    token_digest BYTEA NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    email TEXT NOT NULL,
    account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
, followed_url TEXT);

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

CREATE TABLE credits (
    id TEXT NOT NULL PRIMARY KEY,
    token_digest BYTEA NOT NULL UNIQUE,
    owner TEXT,
    -- 1: made while payments were in dev, so no money came in.
    is_dev BIGINT NOT NULL,
    -- Of a purchase by x402: the network on which it was paid, CAIP-2.
    network TEXT,
    balance_micros BIGINT NOT NULL CHECK (balance_micros >= 0),
    created_at BIGINT NOT NULL
);

CREATE INDEX credits_of_owner ON credits (owner, created_at, id) WHERE owner IS NOT NULL;

CREATE TABLE credit_movements (
    id TEXT NOT NULL PRIMARY KEY,
    credit_id TEXT NOT NULL REFERENCES credits (id),
    kind TEXT NOT NULL CHECK (kind IN ('purchase', 'pix', 'debit', 'reversal', 'adjustment')),
    amount_micros BIGINT NOT NULL CHECK (amount_micros <> 0),
    ref TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (kind, ref)
);

CREATE INDEX credit_movements_of_credit ON credit_movements (credit_id, created_at, id);

CREATE INDEX credit_movements_by_time ON credit_movements (created_at) WHERE kind IN ('purchase', 'pix');

CREATE TABLE debits (
    id TEXT NOT NULL PRIMARY KEY,
    credit_id TEXT NOT NULL REFERENCES credits (id),
    amount_micros BIGINT NOT NULL CHECK (amount_micros > 0),
    operation TEXT NOT NULL,
    request_hash BYTEA NOT NULL,
    key_digest BYTEA,
    owner TEXT,
    state TEXT NOT NULL CHECK (state IN ('held', 'charged', 'reversed')),
    deadline BIGINT NOT NULL,
    answer_head TEXT,
    answer_body BYTEA,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX debits_by_key ON debits (credit_id, key_digest) WHERE key_digest IS NOT NULL;

CREATE INDEX debits_held ON debits (deadline, id) WHERE state = 'held';

CREATE INDEX debits_answered ON debits (created_at, id) WHERE answer_head IS NOT NULL;

CREATE INDEX debits_of_owner ON debits (owner) WHERE owner IS NOT NULL;

CREATE TABLE payments (
    id TEXT NOT NULL PRIMARY KEY,
    network TEXT NOT NULL,
    asset TEXT NOT NULL,
    payer TEXT NOT NULL,
    nonce TEXT NOT NULL,
    request_hash BYTEA NOT NULL,
    call_digest BYTEA NOT NULL,
    operation TEXT NOT NULL,
    amount_micros BIGINT NOT NULL CHECK (amount_micros > 0),
    payload TEXT,
    requirements TEXT,
    wire_version BIGINT NOT NULL,
    owner TEXT,
    -- Of a purchase: the credit that settling makes, and the digest of its token.
    credit_id TEXT,
    credit_digest BYTEA,
    key_digest BYTEA,
    state TEXT NOT NULL CHECK (state IN
        ('claimed', 'working', 'worked', 'settling', 'unclear', 'released', 'settled', 'refused', 'lapsed')),
    tx_hash TEXT,
    reason TEXT,
    answer_head TEXT,
    answer_body BYTEA,
    valid_before BIGINT NOT NULL,
    settle_calls BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (network, asset, payer, nonce)
);

CREATE INDEX payments_due ON payments (leased_until, id)
    WHERE state IN ('claimed', 'working', 'worked', 'settling', 'unclear');

CREATE INDEX payments_on_their_way ON payments (owner, call_digest)
    WHERE state IN ('claimed', 'working', 'worked', 'settling', 'unclear');

CREATE INDEX payments_over ON payments (updated_at, id) WHERE state = 'settled' AND payload IS NOT NULL;

CREATE INDEX payments_of_owner ON payments (owner) WHERE owner IS NOT NULL;

CREATE TABLE revenue (
    payment_id TEXT NOT NULL PRIMARY KEY REFERENCES payments (id),
    operation TEXT NOT NULL,
    amount_micros BIGINT NOT NULL CHECK (amount_micros > 0),
    network TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX revenue_by_time ON revenue (created_at);

CREATE INDEX tabs_withheld ON tabs (withheld) WHERE withheld IS NOT NULL;

CREATE INDEX audits_withheld ON audits (created_at, id) WHERE substr(owner, 1, 8) = 'payment:';

CREATE TABLE pix_requests (
    id TEXT NOT NULL PRIMARY KEY,
    credit_id TEXT NOT NULL UNIQUE REFERENCES credits (id),
    usd BIGINT NOT NULL CHECK (usd > 0),
    brl_centavos BIGINT NOT NULL CHECK (brl_centavos > 0),
    brl_per_usd TEXT NOT NULL,
    receipt_digest BYTEA NOT NULL UNIQUE,
    media_type TEXT NOT NULL,
    -- Forgotten with name and e-mail when their time is over.
    receipt BYTEA,
    name TEXT,
    email TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'released', 'refused')),
    end_to_end_id TEXT UNIQUE,
    created_at BIGINT NOT NULL,
    decided_at BIGINT
);

CREATE TABLE pix_queue (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1)
);

CREATE INDEX pix_requests_pending ON pix_requests (created_at, id) WHERE state = 'pending';

CREATE INDEX pix_requests_decided ON pix_requests (decided_at, id) WHERE receipt IS NOT NULL;

CREATE TRIGGER credit_movements_stay BEFORE UPDATE ON credit_movements
BEGIN SELECT RAISE(ABORT, 'movements are append-only'); END;

CREATE TRIGGER credit_movements_remain BEFORE DELETE ON credit_movements
BEGIN SELECT RAISE(ABORT, 'movements are append-only'); END;

CREATE TRIGGER revenue_stays BEFORE UPDATE ON revenue
BEGIN SELECT RAISE(ABORT, 'revenue is append-only'); END;

CREATE TRIGGER revenue_remains BEFORE DELETE ON revenue
BEGIN SELECT RAISE(ABORT, 'revenue is append-only'); END;

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

CREATE TABLE used_challenges (
    digest BYTEA NOT NULL PRIMARY KEY,
    -- From when on the challenge itself has expired everywhere, so that the row may go.
    expires_at BIGINT NOT NULL
);

CREATE INDEX used_challenges_by_expiry ON used_challenges (expires_at);

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

CREATE TABLE day_counts (
    day BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (day, kind, name)
);

CREATE TABLE hour_counts (
    hour BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (hour, kind, name)
);

CREATE TABLE visitor_sketches (
    day BIGINT NOT NULL,
    reader TEXT NOT NULL,
    sketch BYTEA NOT NULL,
    PRIMARY KEY (day, reader)
);

CREATE TABLE healthy_minutes (
    minute BIGINT NOT NULL PRIMARY KEY
);

CREATE TABLE count_batches (
    id TEXT NOT NULL PRIMARY KEY,
    added_at BIGINT NOT NULL
);

CREATE INDEX count_batches_by_time ON count_batches (added_at);

CREATE TABLE count_cursors (
    name TEXT NOT NULL PRIMARY KEY,
    counted_at BIGINT NOT NULL
);

CREATE TABLE showcase (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    hour BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    body TEXT NOT NULL
);

CREATE TABLE showcase_peers (
    base_url TEXT NOT NULL PRIMARY KEY,
    read_at BIGINT NOT NULL,
    body TEXT NOT NULL
);

CREATE TABLE contacts (
    job_id TEXT NOT NULL PRIMARY KEY,
    network TEXT NOT NULL,
    send_at BIGINT NOT NULL
);

CREATE TABLE contact_queue (
    id BIGINT NOT NULL PRIMARY KEY
);

CREATE TABLE page_events (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    body_en TEXT NOT NULL,
    body_pt TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX page_events_of_owner ON page_events (owner, created_at, id);

CREATE INDEX page_events_by_age ON page_events (created_at, id);

CREATE TABLE webhooks (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    address BYTEA NOT NULL,
    shown TEXT NOT NULL,
    secret BYTEA NOT NULL,
    old_secret BYTEA,
    old_until BIGINT,
    events TEXT NOT NULL,
    locale TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    failing_since BIGINT,
    disabled_at BIGINT
);

CREATE INDEX webhooks_of_owner ON webhooks (owner, created_at, id);

CREATE TABLE webhook_deliveries (
    id TEXT NOT NULL PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL REFERENCES page_events (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    status BIGINT,
    last_error TEXT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, created_at, id);

CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (event_id);

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, next_at, id) WHERE state = 'waiting';

CREATE TABLE feeds (
    owner TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    token_digest BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

CREATE TABLE snoozes (
    tab_id TEXT NOT NULL REFERENCES tabs (id) ON DELETE CASCADE,
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    ends_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tab_id, code)
);

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
, watch_id TEXT REFERENCES site_watches (id) ON DELETE SET NULL, before_id TEXT, changes TEXT, program TEXT);

CREATE INDEX site_runs_of_owner ON site_runs (owner, created_at, id);

CREATE INDEX site_runs_running ON site_runs (created_at, id) WHERE state = 'running';

CREATE INDEX site_runs_of_target ON site_runs (target) WHERE state = 'running';

CREATE INDEX site_runs_ended ON site_runs (ended_at, id) WHERE state <> 'running';

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
    findings BIGINT, etag TEXT, last_modified TEXT,
    PRIMARY KEY (run_id, place)
);

CREATE TABLE site_watches (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    -- JSON.
    options TEXT NOT NULL,
    -- Days between two runs.
    days BIGINT NOT NULL CHECK (days IN (1, 7)),
    -- When the next run is due; NULL while the watch is off.
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    -- What pays where nothing is free: a credit, and what a run spends of it at most.
    credit_id TEXT REFERENCES credits (id),
    most_micros BIGINT,
    -- Why the last run did not begin or failed, in a word; NULL where it did not. It is told by mail when it changes.
    problem TEXT
);

CREATE INDEX site_watches_of_owner ON site_watches (owner, created_at, id);

CREATE INDEX site_watches_due ON site_watches (due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE site_watch_links (
    token_digest BYTEA NOT NULL PRIMARY KEY,
    watch_id TEXT NOT NULL REFERENCES site_watches (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL
);

CREATE INDEX site_watch_links_expired ON site_watch_links (expires_at, token_digest);

CREATE INDEX site_watch_links_of_watch ON site_watch_links (watch_id);

CREATE INDEX site_runs_of_watch ON site_runs (watch_id, created_at, id) WHERE watch_id IS NOT NULL;

CREATE TABLE receipt_keys (
    id TEXT NOT NULL PRIMARY KEY,
    public_key BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

INSERT INTO contact_queue (id) VALUES (1);

INSERT INTO pix_queue (id) VALUES (1);
