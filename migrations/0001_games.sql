-- The first schema. Times are seconds since 1970 in UTC.

CREATE TABLE installation (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    token      TEXT    NOT NULL,          -- part of every Message-ID of this installation
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE player (
    id         INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    address    TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE game (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    variant      TEXT    NOT NULL,
    board_rows   INTEGER,                 -- null on the hex lattice, as are the next four
    board_columns INTEGER,
    misere       INTEGER CHECK (misere IN (0, 1)),
    anywhere     INTEGER CHECK (anywhere IN (0, 1)),
    pass         TEXT    CHECK (pass IN ('auto', 'explicit')),
    start        TEXT,                    -- a position string; null: the rules' own start
    frame        TEXT,                    -- the label of the position's first cell
    black        INTEGER NOT NULL REFERENCES player,
    white        INTEGER NOT NULL REFERENCES player,
    thread       TEXT    NOT NULL,        -- the id that all mails of the game refer to
    created_at   INTEGER NOT NULL,
    resigned     TEXT    CHECK (resigned IN ('black', 'white')),

    -- Derived from the above and the moves, so that lists need not replay games.
    ply          INTEGER NOT NULL DEFAULT 0,
    turn         TEXT    CHECK (turn IN ('black', 'white')),   -- null: finished
    to_move      INTEGER REFERENCES player,                    -- the player to move; null: finished
    to_wait      INTEGER REFERENCES player,                    -- the opponent; null: finished
    since        INTEGER NOT NULL,        -- when the turn began, or when the game ended
    black_discs  INTEGER NOT NULL DEFAULT 0,
    white_discs  INTEGER NOT NULL DEFAULT 0,
    winner       TEXT    CHECK (winner IN ('black', 'white')),
    reason       TEXT,

    CHECK (black <> white),
    CHECK ((turn IS NULL) = (to_move IS NULL) AND (turn IS NULL) = (to_wait IS NULL)),
    CHECK ((turn IS NULL) = (reason IS NOT NULL))
) STRICT;

CREATE INDEX game_active   ON game (since, id)          WHERE turn IS NOT NULL;
CREATE INDEX game_to_move  ON game (to_move, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_to_wait  ON game (to_wait, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_finished ON game (since, id)          WHERE turn IS NULL;
CREATE INDEX game_black    ON game (black, since);
CREATE INDEX game_white    ON game (white, since);

CREATE TABLE move (
    game       INTEGER NOT NULL REFERENCES game,
    ply        INTEGER NOT NULL CHECK (ply > 0),
    move       TEXT    NOT NULL,          -- a label or 'pass'
    auto       INTEGER NOT NULL CHECK (auto IN (0, 1)),
    made_at    INTEGER NOT NULL,
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT    NOT NULL UNIQUE,
    game        INTEGER NOT NULL REFERENCES game,
    player      INTEGER NOT NULL REFERENCES player,
    event       TEXT    NOT NULL CHECK (event IN ('started', 'turn', 'over', 'receipt')),
    ply         INTEGER NOT NULL,         -- how many moves the game had
    state       TEXT    NOT NULL DEFAULT 'queued'
                CHECK (state IN ('queued', 'sent', 'superseded', 'failed')),
    tries       INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    lease       TEXT,                     -- the process that is sending it
    lease_until INTEGER NOT NULL DEFAULT 0,
    sent_to     TEXT,                     -- the address of the last try
    last_error  TEXT
) STRICT;

CREATE INDEX outbox_due  ON outbox (due_at, id)    WHERE state = 'queued';
CREATE INDEX outbox_kept ON outbox (state, id);
CREATE INDEX outbox_game ON outbox (game, player);
