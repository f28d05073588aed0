-- Delivered mail is kept for ten days, and only unsent mail is indexed.

CREATE TABLE outbox_of_now (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    player      INTEGER REFERENCES player,
    address     TEXT,                     -- the recipient, if not a player
    game        INTEGER REFERENCES game,
    ply         INTEGER,                  -- how many moves the game had
    text        TEXT,                     -- additional text
    held        INTEGER REFERENCES held,  -- the commands to be confirmed
    is_reply    INTEGER NOT NULL DEFAULT 0 CHECK (is_reply IN (0, 1)),
    in_reply_to TEXT,                     -- the Message-ID of the mail that it replies to
    state       TEXT    NOT NULL DEFAULT 'queued',
    tries       INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,         -- of a sent mail: when it was sent
    lease       TEXT,                     -- the process that is sending it
    lease_until INTEGER NOT NULL DEFAULT 0,
    sent_to     TEXT,                     -- the address of the last try
    last_error  TEXT,
    bounced_at  INTEGER,                  -- when it first bounced
    bounces     INTEGER NOT NULL DEFAULT 0,  -- how often it bounced
    bounced_try INTEGER NOT NULL DEFAULT 0,  -- the last try that did

    CHECK ((player IS NULL) <> (address IS NULL)),
    CHECK ((game IS NULL) = (ply IS NULL))
) STRICT;

-- Of the delivered mails, those of the ten days before the last mail was queued.
INSERT INTO outbox_of_now (id, message_id, kind, player, address, game, ply, text, held, is_reply,
    in_reply_to, state, tries, created_at, due_at, lease, lease_until, sent_to, last_error,
    bounced_at, bounces, bounced_try)
SELECT id, message_id, kind, player, address, game, ply, text, held, is_reply,
    in_reply_to, state, tries, created_at, due_at, lease, lease_until, sent_to, last_error,
    bounced_at, bounces, bounced_try
FROM outbox
WHERE state IN ('queued', 'paused', 'failed')
    OR due_at >= (SELECT max(created_at) FROM outbox) - 864000;

-- Return paths carry the number of a mail, so no number may be used twice.
DELETE FROM sqlite_sequence WHERE name = 'outbox_of_now';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'outbox_of_now', seq FROM sqlite_sequence WHERE name = 'outbox';

DROP TABLE outbox;
ALTER TABLE outbox_of_now RENAME TO outbox;

CREATE INDEX outbox_due    ON outbox (due_at, id)   WHERE state = 'queued';
CREATE INDEX outbox_unsent ON outbox (player, game) WHERE state IN ('queued', 'paused', 'failed');
CREATE INDEX outbox_held   ON outbox (held)         WHERE held IS NOT NULL;
CREATE INDEX outbox_back   ON outbox (player)       WHERE bounced_at IS NOT NULL;

-- How many games of a player are active, won, lost and drawn, so that lists need not count them.
ALTER TABLE player ADD COLUMN active INTEGER NOT NULL DEFAULT 0;
ALTER TABLE player ADD COLUMN won    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE player ADD COLUMN lost   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE player ADD COLUMN drawn  INTEGER NOT NULL DEFAULT 0;

UPDATE player SET active = counted.active, won = counted.won, lost = counted.lost,
    drawn = counted.drawn
FROM (
    SELECT id, count(*) FILTER (WHERE turn IS NOT NULL) AS active,
        count(*) FILTER (WHERE turn IS NULL AND winner = color) AS won,
        count(*) FILTER (WHERE turn IS NULL AND winner <> color) AS lost,
        count(*) FILTER (WHERE turn IS NULL AND winner IS NULL) AS drawn
    FROM (SELECT black AS id, 'black' AS color, turn, winner FROM game
          UNION ALL SELECT white, 'white', turn, winner FROM game)
    GROUP BY id
) counted
WHERE counted.id = player.id;
