-- Swiss tournaments and leagues: rounds, seasons and divisions.

ALTER TABLE tournament ADD COLUMN rounds INTEGER;
ALTER TABLE tournament ADD COLUMN division_size INTEGER NOT NULL DEFAULT 8;
ALTER TABLE tournament ADD COLUMN moved INTEGER NOT NULL DEFAULT 2;
ALTER TABLE tournament ADD COLUMN season INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tournament ADD COLUMN began_at INTEGER;
UPDATE tournament SET season = 1 WHERE state IN ('running', 'finished');

ALTER TABLE entrant RENAME TO old_entrant;
ALTER TABLE pairing RENAME TO old_pairing;
DROP INDEX entrant_player;

CREATE TABLE entrant (
    tournament    INTEGER NOT NULL REFERENCES tournament,
    season        INTEGER NOT NULL,
    player        INTEGER NOT NULL REFERENCES player,
    joined_at     INTEGER NOT NULL,
    division      INTEGER,                    -- from 1; null: the season has not begun
    number        INTEGER,                    -- in the division, from 1; null: as above
    bye           INTEGER,                    -- the round in which a player of a Swiss had no opponent
    -- How many of the player's games were over when the player withdrew; null: the player has not.
    withdrawn     INTEGER,

    PRIMARY KEY (tournament, season, player)
) STRICT, WITHOUT ROWID;

INSERT INTO entrant (tournament, season, player, joined_at, division, number, withdrawn)
    SELECT tournament, 1, player, joined_at, iif(number IS NULL, NULL, 1), number, withdrawn FROM old_entrant;
DROP TABLE old_entrant;

CREATE INDEX entrant_player ON entrant (player);

CREATE TABLE pairing (
    tournament    INTEGER NOT NULL REFERENCES tournament,
    season        INTEGER NOT NULL,
    division      INTEGER NOT NULL,
    number        INTEGER NOT NULL,           -- from 1
    round         INTEGER NOT NULL,           -- from 1
    black         INTEGER NOT NULL REFERENCES player,
    white         INTEGER NOT NULL REFERENCES player,
    game          INTEGER UNIQUE REFERENCES game,  -- null: it has not begun

    PRIMARY KEY (tournament, season, division, number),
    CHECK (black <> white)
) STRICT, WITHOUT ROWID;

INSERT INTO pairing (tournament, season, division, number, round, black, white, game)
    SELECT tournament, 1, 1, number, round, black, white, game FROM old_pairing;
DROP TABLE old_pairing;
