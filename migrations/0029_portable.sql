-- The public keys (Ed25519) of other clubs, by which the games that they have signed are known.
CREATE TABLE club_key (
    key  BLOB NOT NULL PRIMARY KEY,
    club TEXT NOT NULL                        -- the name that the host has given the club
) STRICT, WITHOUT ROWID;

-- The signed blocks of imported games that came in one, as their letters.
CREATE TABLE signed_game (
    game    INTEGER NOT NULL PRIMARY KEY REFERENCES game,
    letters TEXT    NOT NULL
) STRICT;
