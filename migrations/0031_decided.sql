-- Whether it is proved of a move who wins, but not by how many discs. Older analyses did not prove that.
ALTER TABLE analysis_ply ADD COLUMN decided INTEGER NOT NULL DEFAULT 0 CHECK (decided IN (0, 1));
