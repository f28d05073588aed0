-- The analysis of a finished game: its moves compared with the best ones. It is computed once.

CREATE TABLE analysis (
    game        INTEGER NOT NULL PRIMARY KEY REFERENCES game,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE analysis_ply (
    game        INTEGER NOT NULL REFERENCES analysis ON DELETE CASCADE,
    ply         INTEGER NOT NULL,         -- counted from 1
    best        TEXT    NOT NULL,         -- the best move
    choices     INTEGER NOT NULL,         -- how many moves were legal
    value       INTEGER NOT NULL,         -- by how many discs the player could expect to win after the move
    best_value  INTEGER NOT NULL,         -- the same after the best one
    depth       INTEGER NOT NULL,
    exact       INTEGER NOT NULL CHECK (exact IN (0, 1)),
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;
