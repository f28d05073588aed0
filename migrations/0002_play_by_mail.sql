-- Play by mail: secrets for reply tokens, replies, and records of incoming mail.

ALTER TABLE installation ADD COLUMN secret BLOB NOT NULL DEFAULT x'';
UPDATE installation SET secret = randomblob(32);

ALTER TABLE player ADD COLUMN secret BLOB NOT NULL DEFAULT x'';
UPDATE player SET secret = randomblob(32);
ALTER TABLE player ADD COLUMN receipt INTEGER NOT NULL DEFAULT 0 CHECK (receipt IN (0, 1));
ALTER TABLE player ADD COLUMN bounces INTEGER NOT NULL DEFAULT 0;   -- mails that bounced

-- Players who have stopped their turn mails for a game.
CREATE TABLE unsubscribed (
    game   INTEGER NOT NULL REFERENCES game,
    player INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

-- Commands from unverified senders, which wait for a confirmation.
CREATE TABLE held (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    player     INTEGER REFERENCES player,      -- null: the sender is not signed up
    address    TEXT    NOT NULL,               -- where the mail goes that asks for a confirmation
    commands   TEXT    NOT NULL,               -- one per line
    created_at INTEGER NOT NULL,
    done_at    INTEGER                         -- null: waiting
) STRICT;

-- Digests of processed mails, so that no copy is processed again.
CREATE TABLE seen (
    digest  BLOB    NOT NULL PRIMARY KEY,
    sender  TEXT    NOT NULL COLLATE NOCASE,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX seen_sender ON seen (sender, seen_at);
CREATE INDEX seen_time   ON seen (seen_at);

-- How many incoming mails were processed in which way.
CREATE TABLE intake (
    fate    TEXT    NOT NULL PRIMARY KEY,
    mails   INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- From now on, a mail can be about no game and go to somebody who is not a player.
CREATE TABLE outbox_of_now (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT    NOT NULL UNIQUE,
    event       TEXT    NOT NULL,
    player      INTEGER REFERENCES player,
    address     TEXT,                     -- the recipient, if not a player
    game        INTEGER REFERENCES game,
    ply         INTEGER,                  -- how many moves the game had
    said        TEXT,                     -- additional text
    held        INTEGER REFERENCES held,  -- the commands to be confirmed
    answer      INTEGER NOT NULL DEFAULT 0 CHECK (answer IN (0, 1)),  -- whether it replies to a mail
    answers     TEXT,                     -- the Message-ID of that mail
    state       TEXT    NOT NULL DEFAULT 'queued',
    tries       INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    lease       TEXT,                     -- the process that is sending it
    lease_until INTEGER NOT NULL DEFAULT 0,
    sent_to     TEXT,                     -- the address of the last try
    last_error  TEXT,
    bounced_at  INTEGER,                  -- when it bounced

    CHECK ((player IS NULL) <> (address IS NULL)),
    CHECK ((game IS NULL) = (ply IS NULL))
) STRICT;

INSERT INTO outbox_of_now (id, message_id, event, player, game, ply, state, tries, created_at,
    due_at, lease, lease_until, sent_to, last_error)
SELECT id, message_id, event, player, game, ply, state, tries, created_at,
    due_at, lease, lease_until, sent_to, last_error FROM outbox;

DROP TABLE outbox;
ALTER TABLE outbox_of_now RENAME TO outbox;

CREATE INDEX outbox_due    ON outbox (due_at, id)     WHERE state = 'queued';
CREATE INDEX outbox_paused ON outbox (player)         WHERE state = 'paused';
CREATE INDEX outbox_kept   ON outbox (state, id);
CREATE INDEX outbox_game   ON outbox (game, player);
CREATE INDEX outbox_answer ON outbox (created_at)     WHERE answer;
CREATE INDEX outbox_held   ON outbox (held)           WHERE held IS NOT NULL;
CREATE INDEX outbox_back   ON outbox (player)         WHERE bounced_at IS NOT NULL;
