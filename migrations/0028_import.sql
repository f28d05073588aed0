-- Imported games.

-- The digest of the record that an imported game comes from. Its sides are in `black_bot` and `white_bot`.
ALTER TABLE game ADD COLUMN digest BLOB;

DROP INDEX game_finished;
CREATE INDEX game_finished ON game (since, id) WHERE turn IS NULL AND digest IS NULL;
CREATE INDEX game_imported ON game (since, id) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX game_digest ON game (digest) WHERE digest IS NOT NULL;
