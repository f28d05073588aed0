-- Games that `play` begins: at one keyboard, or against a computer player on a board in the terminal.
-- Nobody is mailed about them.
ALTER TABLE game ADD COLUMN local INTEGER NOT NULL DEFAULT 0 CHECK (local IN (0, 1));

-- As which player each user of the system played last.
CREATE TABLE system_user (
    id     INTEGER NOT NULL PRIMARY KEY,      -- the user's number
    player INTEGER NOT NULL REFERENCES player
) STRICT;

CREATE INDEX system_user_player ON system_user (player);
