-- Play by mail: secrets for codes, mails that answer, and what came in.

ALTER TABLE installation ADD COLUMN secret BLOB NOT NULL DEFAULT x'';
UPDATE installation SET secret = randomblob(32);

ALTER TABLE player ADD COLUMN secret BLOB NOT NULL DEFAULT x'';
UPDATE player SET secret = randomblob(32);
ALTER TABLE player ADD COLUMN receipt INTEGER NOT NULL DEFAULT 0 CHECK (receipt IN (0, 1));
ALTER TABLE player ADD COLUMN bounces INTEGER NOT NULL DEFAULT 0;   -- mails that came back for good

-- Whose turn mails of a game are not wanted.
CREATE TABLE unsubscribed (
    game   INTEGER NOT NULL REFERENCES game,
    player INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

-- Commands that came in somebody's name, and wait for a word that they really gave them.
CREATE TABLE held (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    player     INTEGER REFERENCES player,      -- null: somebody who wants to sign up
    address    TEXT    NOT NULL,               -- where the question goes
    commands   TEXT    NOT NULL,               -- a line each
    created_at INTEGER NOT NULL,
    done_at    INTEGER                         -- null: it waits
) STRICT;

-- Mails that were acted upon, so that copies are not.
CREATE TABLE seen (
    digest  BLOB    NOT NULL PRIMARY KEY,
    sender  TEXT    NOT NULL COLLATE NOCASE,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX seen_sender ON seen (sender, seen_at);
CREATE INDEX seen_time   ON seen (seen_at);

-- How many mails came to which end.
CREATE TABLE intake (
    fate    TEXT    NOT NULL PRIMARY KEY,
    mails   INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A mail need not be about a game, nor go to a player.
CREATE TABLE outbox_of_now (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT    NOT NULL UNIQUE,
    event       TEXT    NOT NULL,
    player      INTEGER REFERENCES player,
    address     TEXT,                     -- where it goes when that is no player
    game        INTEGER REFERENCES game,
    ply         INTEGER,                  -- the state of the game that it tells of
    said        TEXT,                     -- what it says besides
    held        INTEGER REFERENCES held,  -- what it asks about
    answer      INTEGER NOT NULL DEFAULT 0 CHECK (answer IN (0, 1)),  -- caused by a mail
    answers     TEXT,                     -- the Message-ID of that mail
    state       TEXT    NOT NULL DEFAULT 'queued',
    tries       INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    lease       TEXT,                     -- who is sending it now
    lease_until INTEGER NOT NULL DEFAULT 0,
    sent_to     TEXT,                     -- the address of the last try
    last_error  TEXT,
    bounced_at  INTEGER,                  -- when it came back for good

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
