-- Messages of the contact form wait as jobs. A row says when a message of a network is sent, so that the next one of that
-- network waits for its turn; `network` is a digest under the salt of a day.

CREATE TABLE contacts (
    job_id TEXT NOT NULL PRIMARY KEY,
    network TEXT NOT NULL,
    send_at BIGINT NOT NULL
);

-- One row, which whoever queues a message locks: turns and limits are counted before they are taken.
CREATE TABLE contact_queue (
    id BIGINT NOT NULL PRIMARY KEY
);

INSERT INTO contact_queue (id) VALUES (1);
