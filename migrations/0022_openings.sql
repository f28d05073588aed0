-- Openings that are drawn when a game begins.

ALTER TABLE game ADD COLUMN opening TEXT;
ALTER TABLE challenge ADD COLUMN opening TEXT;

-- The openings that two players have had.
CREATE INDEX game_opening ON game (black, white) WHERE opening IS NOT NULL;
