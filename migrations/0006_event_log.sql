-- More kinds of events, some of them by the host.

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
