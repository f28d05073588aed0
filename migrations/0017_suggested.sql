-- The commands that an answer suggests, one a line.
ALTER TABLE outbox ADD COLUMN suggested TEXT;
