-- A game is the log of its events and stores its own rules.

CREATE TABLE event (
    game   INTEGER NOT NULL REFERENCES game,
    number INTEGER NOT NULL CHECK (number > 0),
    at     INTEGER NOT NULL,
    author TEXT    NOT NULL CHECK (author IN ('b', 'w')),
    action TEXT    NOT NULL,              -- a cell like d3, 'pass', 'auto-pass' or 'resign'
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

-- The players alternate at every move, since an automatic pass is a move too.
INSERT INTO event (game, number, at, author, action)
SELECT game, move.ply, made_at,
       iif((move.ply % 2 = 1) = (coalesce(substr(start, 2, 1), 'b') = 'b'), 'b', 'w'),
       iif(auto, 'auto-pass', move)
FROM move JOIN game ON game.id = move.game;

INSERT INTO event (game, number, at, author, action)
SELECT id, ply + 1, since, substr(resigned, 1, 1), 'resign' FROM game WHERE resigned IS NOT NULL;

DROP TABLE move;
ALTER TABLE game DROP COLUMN resigned;

ALTER TABLE game ADD COLUMN stuck TEXT NOT NULL DEFAULT 'auto'
    CHECK (stuck IN ('auto', 'explicit', 'loses'));   -- what happens to a player who cannot place
UPDATE game SET stuck = coalesce(pass, 'loses'), misere = coalesce(misere, 0),
    anywhere = coalesce(anywhere, 0);
ALTER TABLE game DROP COLUMN pass;
ALTER TABLE game ADD COLUMN supply INTEGER;           -- discs of each player; null: no limit
UPDATE game SET supply = 32 WHERE board_rows IS NULL;

-- Columns and words get the names that the program uses.
UPDATE outbox SET event = 'mismatch' WHERE event = 'imposter';
ALTER TABLE outbox RENAME COLUMN event TO kind;
ALTER TABLE outbox RENAME COLUMN said TO text;
ALTER TABLE outbox RENAME COLUMN answer TO is_reply;
ALTER TABLE outbox RENAME COLUMN answers TO in_reply_to;
ALTER TABLE intake RENAME COLUMN fate TO disposition;
UPDATE intake SET disposition = 'mismatch' WHERE disposition = 'imposter';
