-- What a notice to the host has told, so that the next one tells only what came after it.
ALTER TABLE news ADD COLUMN told INTEGER NOT NULL DEFAULT 0;  -- so many are in the notice `mail`
ALTER TABLE news ADD COLUMN next_at INTEGER;                  -- when it first happened after that; null: not yet
UPDATE news SET told = count WHERE mail IS NOT NULL;
