-- What programs are told of the runs of followed pages: events, webhooks with their deliveries, and one feed for each owner.

-- Each run is one event, as JSON in each language.
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

-- `address` and the secrets are encrypted: whoever knows the address of a chat can write there. `shown` is the part of the
-- address that is shown. `failing_since` is null while the last try succeeded; a disabled endpoint gets no events.
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

-- `state` is 'waiting', 'delivered' or 'failed'. The job that delivers has the id of the webhook, so that an endpoint gets
-- one delivery at a time.
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

-- `id` names the feed to its readers, and stays when its address is renewed.
CREATE TABLE feeds (
    owner TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    token_digest BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);
