-- The letter of the club.

-- Whether the player gets it, and whether the letters to others name the player.
ALTER TABLE player ADD COLUMN letter INTEGER NOT NULL DEFAULT 0 CHECK (letter IN (0, 1));
ALTER TABLE player ADD COLUMN named TEXT NOT NULL DEFAULT 'on';
-- The Monday, in the player's time zone, of the next letter.
ALTER TABLE player ADD COLUMN letter_at INTEGER;

CREATE INDEX player_letter  ON player (letter_at) WHERE letter = 1 AND left_at IS NULL;
CREATE INDEX player_created ON player (created_at);
