-- Tournaments.

CREATE TABLE tournament (
    id            INTEGER NOT NULL PRIMARY KEY,
    name          TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    format        TEXT    NOT NULL,           -- 'round-robin'
    doubled       INTEGER NOT NULL CHECK (doubled IN (0, 1)),
    places        INTEGER NOT NULL,           -- the most players
    lowest        INTEGER,                    -- the ratings of those who may join; null: all
    highest       INTEGER,

    -- What the players of its games agree on, as in the table `game`.
    variant       TEXT    NOT NULL,
    board_rows    INTEGER,
    board_columns INTEGER,
    misere        INTEGER NOT NULL CHECK (misere IN (0, 1)),
    anywhere      INTEGER NOT NULL CHECK (anywhere IN (0, 1)),
    stuck         TEXT    NOT NULL CHECK (stuck IN ('auto', 'explicit', 'loses')),
    supply        INTEGER,
    start         TEXT,
    frame         TEXT,
    opening       TEXT,
    clock         TEXT    NOT NULL,
    free_weekends INTEGER NOT NULL CHECK (free_weekends IN (0, 1)),
    flag          TEXT    NOT NULL CHECK (flag IN ('claim', 'hard')),
    absences      INTEGER NOT NULL CHECK (absences IN (0, 1)),
    rated         INTEGER NOT NULL CHECK (rated IN (0, 1)),

    mark          TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    starts_at     INTEGER,                    -- null: when its places are full or the host starts it
    postponed     INTEGER NOT NULL DEFAULT 0, -- how often its start was put off
    state         TEXT    NOT NULL DEFAULT 'open'
                  CHECK (state IN ('open', 'running', 'finished', 'cancelled')),
    ended_at      INTEGER,
    due_at        INTEGER                     -- when `send` must look at it; null: never
) STRICT;

CREATE INDEX tournament_due   ON tournament (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX tournament_state ON tournament (state, ended_at, id);

-- Who plays in a tournament.
CREATE TABLE entrant (
    tournament    INTEGER NOT NULL REFERENCES tournament,
    player        INTEGER NOT NULL REFERENCES player,
    joined_at     INTEGER NOT NULL,
    number        INTEGER,                    -- by lot, from 1; null: the tournament has not started
    -- How many of the player's games were over when the player withdrew; null: the player has not.
    withdrawn     INTEGER,

    PRIMARY KEY (tournament, player)
) STRICT, WITHOUT ROWID;

CREATE INDEX entrant_player ON entrant (player);

-- The games of a tournament.
CREATE TABLE pairing (
    tournament    INTEGER NOT NULL REFERENCES tournament,
    number        INTEGER NOT NULL,           -- from 1
    round         INTEGER NOT NULL,           -- from 1
    black         INTEGER NOT NULL REFERENCES player,
    white         INTEGER NOT NULL REFERENCES player,
    game          INTEGER UNIQUE REFERENCES game,  -- null: it has not begun

    PRIMARY KEY (tournament, number),
    CHECK (black <> white)
) STRICT, WITHOUT ROWID;
