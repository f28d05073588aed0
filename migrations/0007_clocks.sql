-- Time controls, deadlines, and reminders.

ALTER TABLE game ADD COLUMN clock TEXT NOT NULL DEFAULT 'none';     -- such as '3d' or '10d+1d'
ALTER TABLE game ADD COLUMN free_weekends INTEGER NOT NULL DEFAULT 0 CHECK (free_weekends IN (0, 1));
ALTER TABLE game ADD COLUMN flag TEXT NOT NULL DEFAULT 'claim' CHECK (flag IN ('claim', 'hard'));
ALTER TABLE game ADD COLUMN absences INTEGER NOT NULL DEFAULT 1 CHECK (absences IN (0, 1));

-- Derived from the events: when the time of the player to move is over; the last second of the year
-- 9999 if no clock runs, so that an index lists games by it.
ALTER TABLE game ADD COLUMN deadline INTEGER NOT NULL DEFAULT 253402300799;
-- Derived from the events and the reminders: when housekeeping must look at the game.
ALTER TABLE game ADD COLUMN alarm_at INTEGER;

DROP INDEX game_active;
DROP INDEX game_to_move;
DROP INDEX game_to_wait;
CREATE INDEX game_active  ON game (deadline, since, id)          WHERE turn IS NOT NULL;
CREATE INDEX game_to_move ON game (to_move, deadline, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_to_wait ON game (to_wait, deadline, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_alarm   ON game (alarm_at, to_move)            WHERE alarm_at IS NOT NULL;
CREATE INDEX game_to_move_alarm ON game (to_move, alarm_at)      WHERE alarm_at IS NOT NULL;

-- Reminders of one turn. In a game without a clock, the first is due after 30 days.
CREATE TABLE reminder (
    game         INTEGER NOT NULL REFERENCES game,
    event        INTEGER NOT NULL,        -- the event that began the turn or changed its time
    stage        INTEGER NOT NULL CHECK (stage IN (1, 2)),
    mail         INTEGER NOT NULL,        -- the mail with it, in the outbox
    delivered_at INTEGER,
    PRIMARY KEY (game, event, stage)
) STRICT, WITHOUT ROWID;

CREATE INDEX reminder_mail ON reminder (mail);

UPDATE game SET alarm_at = since + 30 * 86400 WHERE turn IS NOT NULL;

-- When players are, were or will be away. Each game has its own record among its events.
CREATE TABLE absence (
    player   INTEGER NOT NULL REFERENCES player,
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,            -- the first second after it
    PRIMARY KEY (player, from_at)
) STRICT, WITHOUT ROWID;
