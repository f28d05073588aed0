-- What players have decided in advance; nobody but the owner sees it.

CREATE TABLE plan (
    game     INTEGER NOT NULL REFERENCES game,
    player   INTEGER NOT NULL REFERENCES player,
    event    INTEGER NOT NULL,            -- the last event before the moves of the plan
    branches TEXT    NOT NULL,            -- lines of moves, separated by slashes
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

-- The games of a digest, as they stood when it was queued.
CREATE TABLE digest_game (
    mail    INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    number  INTEGER NOT NULL,                -- the place in the digest, from 1
    game    INTEGER NOT NULL REFERENCES game (id),
    ply     INTEGER NOT NULL,
    events  INTEGER NOT NULL,
    PRIMARY KEY (mail, number)
) STRICT, WITHOUT ROWID;
