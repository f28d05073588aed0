-- `mail GAME` lists the mails of a game, and `takeback` looks for those about a move.
CREATE INDEX outbox_game ON outbox (game) WHERE game IS NOT NULL;

-- Why housekeeping failed in a game, which is tried again at the alarm.
ALTER TABLE game ADD COLUMN alarm_error TEXT;

CREATE INDEX game_alarm_error ON game (alarm_at) WHERE alarm_error IS NOT NULL;

-- Analyses get the line after each better move. Those without are computed again when asked for.
DELETE FROM analysis_ply;
DELETE FROM analysis;
ALTER TABLE analysis_ply ADD COLUMN line TEXT NOT NULL DEFAULT ''; -- empty if no move was better

-- Whether the Subject of the player's mails says whose turn it is: `off` or `turn`.
ALTER TABLE player ADD COLUMN subject TEXT NOT NULL DEFAULT 'off';

-- Whether the Subject of the mail says so, which its first try fixes.
ALTER TABLE outbox ADD COLUMN says_turn INTEGER NOT NULL DEFAULT 0 CHECK (says_turn IN (0, 1));
