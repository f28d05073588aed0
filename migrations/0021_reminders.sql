-- Mail that says how to stop it.

-- Whether a player is reminded of games with little time left.
ALTER TABLE player ADD COLUMN reminders TEXT NOT NULL DEFAULT 'on';
