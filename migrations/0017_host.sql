-- What happened to each incoming mail, without its words. Kept for 30 days.
CREATE TABLE received (
    id          INTEGER NOT NULL PRIMARY KEY,
    received_at INTEGER NOT NULL,
    player      INTEGER REFERENCES player,    -- whose mail or token it is, or to whom the mail that bounced
    sender      TEXT,                         -- the address, if it is not that of the player
    understood  TEXT    NOT NULL,             -- the words of its commands, with spaces between
    disposition TEXT    NOT NULL,
    why         TEXT    NOT NULL
) STRICT;

CREATE INDEX received_time ON received (received_at);
CREATE INDEX received_player ON received (player);

-- What the host is told of in the next notice: one row for each kind and thing. Only recorded if the
-- configuration names the host's address.
CREATE TABLE news (
    kind     TEXT    NOT NULL,
    about    INTEGER NOT NULL,                -- the player or the game, by its kind; 0 if none
    count    INTEGER NOT NULL,                -- how often it has happened
    text     TEXT    NOT NULL,                -- the last reason; may be empty
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    mail     INTEGER,                         -- the notice that has it and was not delivered yet; null: none
    PRIMARY KEY (kind, about)
) STRICT, WITHOUT ROWID;

-- When the last notice to the host was queued.
ALTER TABLE installation ADD COLUMN host_notified_at INTEGER;

CREATE INDEX outbox_host ON outbox (id) WHERE kind = 'host' AND state = 'queued';

-- The digests that have a game.
CREATE INDEX digest_game_game ON digest_game (game);
