-- Addresses to which mail fails, limits of replies, and a list of the quarantine.

-- Failures of the mail to players within the last month, until a sign of life from the player.
CREATE TABLE failure (
    player    INTEGER NOT NULL REFERENCES player,
    failed_at INTEGER NOT NULL
) STRICT;

CREATE INDEX failure_player ON failure (player, failed_at);

INSERT INTO failure (player, failed_at)
SELECT player, bounced_at FROM outbox JOIN player ON player.id = player
WHERE bounced_at IS NOT NULL AND bounces > 0;

ALTER TABLE player RENAME COLUMN bounces TO failures;  -- the number of rows in the table above
ALTER TABLE player ADD COLUMN paused_at INTEGER;       -- since when mail to the player is held back
UPDATE player SET paused_at = coalesce(
    (SELECT max(bounced_at) FROM outbox WHERE player = player.id), created_at)
WHERE failures >= 3;

-- From now on, bounced_at is when a mail first bounced.
ALTER TABLE outbox ADD COLUMN bounces     INTEGER NOT NULL DEFAULT 0;  -- how often it bounced
ALTER TABLE outbox ADD COLUMN bounced_try INTEGER NOT NULL DEFAULT 0;  -- the last try that did
UPDATE outbox SET bounces = 1, bounced_try = tries WHERE bounced_at IS NOT NULL;

-- Replies to mail within the last day, and how they are limited.
CREATE TABLE reply (
    mailbox     TEXT    NOT NULL COLLATE NOCASE,
    is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
    has_command INTEGER NOT NULL CHECK (has_command IN (0, 1)),  -- whether the mail had a valid command
    replied_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX reply_mailbox ON reply (mailbox, is_verified, replied_at);
CREATE INDEX reply_time    ON reply (replied_at, is_verified);

-- Mailboxes that sent several mails in a row without a valid command.
CREATE TABLE idle (
    mailbox     TEXT    NOT NULL COLLATE NOCASE,
    is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
    mails       INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    PRIMARY KEY (mailbox, is_verified)
) STRICT, WITHOUT ROWID;

-- What is known of the mails in the quarantine.
CREATE TABLE quarantine (
    file       TEXT    NOT NULL PRIMARY KEY,  -- the name in the folder of the quarantine
    reason     TEXT    NOT NULL,
    sender     TEXT,                          -- as the mail says, like the next three
    subject    TEXT,
    message_id TEXT,
    date       TEXT,
    bytes      INTEGER NOT NULL,              -- of the whole mail, even if only a part is kept
    came_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
