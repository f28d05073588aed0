-- Mails of `doctor` that ask for an answer: to the server's own address, and to people.
CREATE TABLE probe (
    mail     INTEGER NOT NULL PRIMARY KEY,    -- its number in the outbox, where its record is deleted later
    is_loop  INTEGER NOT NULL CHECK (is_loop IN (0, 1)),
    address  TEXT    COLLATE NOCASE,          -- whom it asks; null: this server, or it was answered
    asked_at INTEGER NOT NULL,
    came_at  INTEGER,                         -- when it came back or was answered; null: not yet
    -- What the answer of a person bore: the host in `by` of its first Received field, and the name and
    -- the results in its first Authentication-Results field. Null: it had no such field.
    receiver TEXT,
    server   TEXT,
    results  TEXT
) STRICT;
CREATE INDEX probe_time ON probe (asked_at);
