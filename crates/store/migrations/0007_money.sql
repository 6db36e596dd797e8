-- Prepaid credit, receipts of Pix, payments by x402. Amounts are millionths of a dollar.

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

-- Every change of a balance, for ever. `ref` is what caused it; the same cause moves money once.
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

-- What a paid call takes from a credit: held before the work, charged with its result or reversed. `id` is the `ref` of
-- its movements. `key_digest` is that of the Idempotency-Key; NULL for none, and once reversed.
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

-- Payments by x402. `fence` counts who took the row over; a decision of one that slept through its lease changes nothing.
-- `request_hash` is of the call, its price and its owner; `call_digest` of the call alone.
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

-- What came in for single calls; what came in for credit is a movement.
CREATE TABLE revenue (
    payment_id TEXT NOT NULL PRIMARY KEY REFERENCES payments (id),
    operation TEXT NOT NULL,
    amount_micros BIGINT NOT NULL CHECK (amount_micros > 0),
    network TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX revenue_by_time ON revenue (created_at);

-- The debit or payment of a tab that is not final yet.
ALTER TABLE tabs ADD COLUMN withheld TEXT;

CREATE INDEX tabs_withheld ON tabs (withheld) WHERE withheld IS NOT NULL;

-- Audits of debits and payments that are not final yet.
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

-- One row, which whoever adds a request locks, so that as many wait as may.
CREATE TABLE pix_queue (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1)
);

INSERT INTO pix_queue (id) VALUES (1);

CREATE INDEX pix_requests_pending ON pix_requests (created_at, id) WHERE state = 'pending';
CREATE INDEX pix_requests_decided ON pix_requests (decided_at, id) WHERE receipt IS NOT NULL;

