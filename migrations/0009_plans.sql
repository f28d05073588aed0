-- What players have decided in advance; nobody but the owner sees it.

CREATE TABLE plan (
    game     INTEGER NOT NULL REFERENCES game,
    player   INTEGER NOT NULL REFERENCES player,
    event    INTEGER NOT NULL,            -- the last event before the moves of the plan
    branches TEXT    NOT NULL,            -- lines of moves, separated by slashes
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
