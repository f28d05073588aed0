-- More kinds of events, some of them by the host; mails report the game after an event.

CREATE TABLE event_of_now (
    game   INTEGER NOT NULL REFERENCES game,
    number INTEGER NOT NULL CHECK (number > 0),
    at     INTEGER NOT NULL,
    author TEXT    NOT NULL CHECK (author IN ('b', 'w', 'h')),   -- h: the host or the clock
    action TEXT    NOT NULL,              -- a cell like d3, 'pass', 'offer draw' and so on
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

INSERT INTO event_of_now (game, number, at, author, action)
SELECT game, number, at, author, action FROM event;

DROP TABLE event;
ALTER TABLE event_of_now RENAME TO event;

-- Until now, all events but a resignation at the end were moves.
ALTER TABLE game ADD COLUMN events INTEGER NOT NULL DEFAULT 0;          -- how many there are
ALTER TABLE game ADD COLUMN position_event INTEGER NOT NULL DEFAULT 0;  -- the last that changed the position
UPDATE game SET events = ply + (reason = 'resigned' IS TRUE), position_event = ply;

ALTER TABLE outbox ADD COLUMN events INTEGER;   -- how many events the game had
UPDATE outbox SET events = (
    SELECT iif(outbox.ply = game.ply AND kind NOT IN ('started', 'turn', 'receipt'), events, outbox.ply)
    FROM game WHERE game.id = outbox.game)
WHERE game IS NOT NULL;
