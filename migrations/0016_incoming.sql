-- Whether the mail with held commands also had a comment or note, which was not kept.
ALTER TABLE held ADD COLUMN had_words INTEGER NOT NULL DEFAULT 0 CHECK (had_words IN (0, 1));

-- The last pause of the mail to a player, until an answer reports it: when it had begun to fail, and
-- when it was sent again.
ALTER TABLE player ADD COLUMN failed_from INTEGER;
ALTER TABLE player ADD COLUMN failed_until INTEGER;
