-- A side of a game is a person or a computer player, and work that takes time is queued.

CREATE TABLE game_of_now (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    variant      TEXT    NOT NULL,
    board_rows   INTEGER,                 -- null on the hex lattice, as is the next
    board_columns INTEGER,
    misere       INTEGER NOT NULL DEFAULT 0 CHECK (misere IN (0, 1)),
    anywhere     INTEGER NOT NULL DEFAULT 0 CHECK (anywhere IN (0, 1)),
    stuck        TEXT    NOT NULL DEFAULT 'auto'
                 CHECK (stuck IN ('auto', 'explicit', 'loses')),  -- what happens to a player who cannot place
    supply       INTEGER,                 -- discs of each player; null: no limit
    start        TEXT,                    -- a position string; null: the rules' own start
    frame        TEXT,                    -- the label of the position's first cell
    black        INTEGER REFERENCES player,
    white        INTEGER REFERENCES player,
    black_bot    TEXT,                    -- a computer player, such as 'bot:5', instead of a person
    white_bot    TEXT,
    thread       TEXT    NOT NULL,        -- the id that all mails of the game refer to
    created_at   INTEGER NOT NULL,
    clock         TEXT    NOT NULL DEFAULT 'none',     -- such as '3d' or '10d+1d'
    free_weekends INTEGER NOT NULL DEFAULT 0 CHECK (free_weekends IN (0, 1)),
    flag          TEXT    NOT NULL DEFAULT 'claim' CHECK (flag IN ('claim', 'hard')),
    absences      INTEGER NOT NULL DEFAULT 1 CHECK (absences IN (0, 1)),

    -- Derived from the above and the events, so that lists need not replay games.
    ply          INTEGER NOT NULL DEFAULT 0,
    events       INTEGER NOT NULL DEFAULT 0,
    position_event INTEGER NOT NULL DEFAULT 0,                 -- the last that changed the position
    turn         TEXT    CHECK (turn IN ('black', 'white')),   -- null: finished
    to_move      INTEGER REFERENCES player,                    -- the person to move, if it is one
    to_wait      INTEGER REFERENCES player,                    -- the opponent, if a person
    since        INTEGER NOT NULL,        -- when the turn began, or when the game ended
    black_discs  INTEGER NOT NULL DEFAULT 0,
    white_discs  INTEGER NOT NULL DEFAULT 0,
    winner       TEXT    CHECK (winner IN ('black', 'white')),
    reason       TEXT,
    deadline     INTEGER NOT NULL DEFAULT 253402300799,        -- the end of the year 9999: none
    alarm_at     INTEGER,                 -- when housekeeping must look at the game

    CHECK ((black IS NULL) <> (black_bot IS NULL)),
    CHECK ((white IS NULL) <> (white_bot IS NULL)),
    CHECK (black <> white),
    CHECK (turn IS NOT NULL OR (to_move IS NULL AND to_wait IS NULL)),
    CHECK ((turn IS NULL) = (reason IS NOT NULL))
) STRICT;

INSERT INTO game_of_now (id, variant, board_rows, board_columns, misere, anywhere, stuck, supply,
    start, frame, black, white, thread, created_at, clock, free_weekends, flag, absences, ply,
    events, position_event, turn, to_move, to_wait, since, black_discs, white_discs, winner, reason,
    deadline, alarm_at)
SELECT id, variant, board_rows, board_columns, misere, anywhere, stuck, supply,
    start, frame, black, white, thread, created_at, clock, free_weekends, flag, absences, ply,
    events, position_event, turn, to_move, to_wait, since, black_discs, white_discs, winner, reason,
    deadline, alarm_at
FROM game;

-- No number may be used twice.
DELETE FROM sqlite_sequence WHERE name = 'game_of_now';
INSERT INTO sqlite_sequence (name, seq) SELECT 'game_of_now', seq FROM sqlite_sequence WHERE name = 'game';

DROP TABLE game;
ALTER TABLE game_of_now RENAME TO game;

CREATE INDEX game_active   ON game (deadline, since, id)          WHERE turn IS NOT NULL;
CREATE INDEX game_to_move  ON game (to_move, deadline, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_to_wait  ON game (to_wait, deadline, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_finished ON game (since, id)                    WHERE turn IS NULL;
CREATE INDEX game_black    ON game (black, since);
CREATE INDEX game_white    ON game (white, since);
CREATE INDEX game_alarm    ON game (alarm_at, to_move)            WHERE alarm_at IS NOT NULL;
CREATE INDEX game_to_move_alarm ON game (to_move, alarm_at)       WHERE alarm_at IS NOT NULL;
CREATE INDEX game_black_bot ON game (black_bot, since)            WHERE black_bot IS NOT NULL;
CREATE INDEX game_white_bot ON game (white_bot, since)            WHERE white_bot IS NOT NULL;
CREATE INDEX game_black_bot_active ON game (black_bot, turn, deadline, since, id)
    WHERE black_bot IS NOT NULL AND turn IS NOT NULL;
CREATE INDEX game_white_bot_active ON game (white_bot, turn, deadline, since, id)
    WHERE white_bot IS NOT NULL AND turn IS NOT NULL;

-- Work that takes time: it is done after the commit, and never within a transaction.
CREATE TABLE job (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,         -- 'move' and 'answer' of a computer player; 'hint', 'analysis'
    game        INTEGER NOT NULL REFERENCES game,
    event       INTEGER NOT NULL,         -- the last that changed the position it is for; 0: the start
    player      INTEGER REFERENCES player,-- who asked for it; null: nobody
    queued_at   INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    lease       TEXT,                     -- the process that is doing it
    lease_until INTEGER NOT NULL DEFAULT 0,
    tries       INTEGER NOT NULL DEFAULT 0,  -- how often it was claimed
    failures    INTEGER NOT NULL DEFAULT 0,  -- how often it failed
    last_error  TEXT
) STRICT;

-- Computer players go first, because somebody waits for them.
CREATE INDEX job_due    ON job (kind IN ('hint', 'analysis'), due_at, id);
CREATE INDEX job_game   ON job (game);
CREATE INDEX job_player ON job (player) WHERE player IS NOT NULL;
-- What the computer players of a game must do next: at most one thing.
CREATE UNIQUE INDEX job_bot ON job (game) WHERE kind IN ('move', 'answer');
