-- What players have set, in the words of the command `set`.

ALTER TABLE player ADD COLUMN clock     TEXT NOT NULL DEFAULT 'UTC sat,sun none';
ALTER TABLE player ADD COLUMN mail_mode TEXT NOT NULL DEFAULT 'each';
ALTER TABLE player ADD COLUMN style     TEXT NOT NULL DEFAULT 'figure';
ALTER TABLE player ADD COLUMN grace     TEXT NOT NULL DEFAULT 'off';

-- Whether a turn mail becomes part of the digest that is due when it is.
ALTER TABLE outbox ADD COLUMN for_digest INTEGER NOT NULL DEFAULT 0 CHECK (for_digest IN (0, 1));

CREATE INDEX outbox_digest ON outbox (due_at, player) WHERE state = 'queued' AND for_digest;

-- What players said to their opponents: the words are in the log of the game.
CREATE TABLE comment (
    game    INTEGER NOT NULL REFERENCES game,
    event   INTEGER NOT NULL,             -- its number in the log
    reader  INTEGER NOT NULL REFERENCES player,
    said_at INTEGER NOT NULL,
    at_once INTEGER NOT NULL CHECK (at_once IN (0, 1)),   -- whether a mail of its own was to bring it
    mail    INTEGER,                      -- the mail that brings it; null: none yet
    PRIMARY KEY (game, event)
) STRICT, WITHOUT ROWID;

-- Players who do not want the words of others.
CREATE TABLE blocked (
    player INTEGER NOT NULL REFERENCES player,
    author INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (player, author)
) STRICT, WITHOUT ROWID;
