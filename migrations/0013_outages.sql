-- When `send` last looked for deadlines that have passed; null: never.
ALTER TABLE installation ADD COLUMN deadlines_checked_at INTEGER;
