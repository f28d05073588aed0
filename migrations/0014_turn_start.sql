-- When the clock of a turn starts that begins with this event, or with the game; null: then and there,
-- or the event begins no turn.
ALTER TABLE event ADD COLUMN turn_starts_at INTEGER;
ALTER TABLE game ADD COLUMN turn_starts_at INTEGER;
