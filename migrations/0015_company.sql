-- Rated games. A rematch is rated if the game before it was.
ALTER TABLE game ADD COLUMN rated INTEGER NOT NULL DEFAULT 0 CHECK (rated IN (0, 1));
