-- When `send` last checked for passed deadlines; null: never.
ALTER TABLE installation ADD COLUMN deadlines_checked_at INTEGER;

-- When the clock of a turn starts that begins with this event, or with the game; null: at once, or the
-- event begins no turn.
ALTER TABLE event ADD COLUMN turn_starts_at INTEGER;
ALTER TABLE game ADD COLUMN turn_starts_at INTEGER;

-- The open offer of a game is an event of its log; whether it is paused follows from the log, too.
ALTER TABLE game ADD COLUMN offer_event INTEGER;      -- the event that made the open offer; null: none is open
ALTER TABLE game ADD COLUMN paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1));
-- In a game without a clock: the event that began the turn that the opponent can claim and was mailed about;
-- null: none.
ALTER TABLE game ADD COLUMN claim_event INTEGER;

UPDATE game SET offer_event = (
    SELECT max(number) FROM event WHERE event.game = game.id AND action LIKE 'offer %');
UPDATE game SET offer_event = NULL WHERE offer_event IS NOT NULL AND EXISTS (
    SELECT 1 FROM event made JOIN event later ON later.game = made.game AND later.number > made.number
    WHERE made.game = game.id AND made.number = offer_event AND (
        later.action IN ('accept', 'decline', 'takeback')
        -- A move of the opponent: a cell or a pass.
        OR later.author IN ('b', 'w') AND later.author <> made.author AND instr(later.action, ' ') = 0
            AND later.action NOT IN ('auto-pass', 'resign', 'unpause', 'claim', 'back', 'hint')));
UPDATE game SET offer_event = NULL WHERE offer_event IS NOT NULL AND (turn IS NULL) <> (
    SELECT action = 'offer rematch' FROM event WHERE event.game = game.id AND number = offer_event);
UPDATE game SET paused = EXISTS (
    SELECT 1 FROM event agreed WHERE agreed.game = game.id AND agreed.action = 'accept'
    AND (SELECT action FROM event made WHERE made.game = game.id AND made.number < agreed.number
         AND made.action LIKE 'offer %' ORDER BY made.number DESC LIMIT 1) = 'offer pause'
    AND NOT EXISTS (SELECT 1 FROM event ended WHERE ended.game = game.id
         AND ended.number > agreed.number AND ended.action = 'unpause'));

-- When a mail goes is decided before each try.
ALTER TABLE outbox ADD COLUMN not_before INTEGER;     -- the end of a grace, for example; null: no limit
ALTER TABLE outbox ADD COLUMN is_prompt INTEGER NOT NULL DEFAULT 0  -- whether no setting holds it back
    CHECK (is_prompt IN (0, 1));
ALTER TABLE outbox ADD COLUMN occasion TEXT;          -- why a notice is sent, if that must still hold
ALTER TABLE outbox ADD COLUMN first_try_at INTEGER;   -- since when its content is fixed; null: not yet
ALTER TABLE outbox ADD COLUMN shown TEXT;             -- what of it must still hold at a later try

CREATE INDEX outbox_occasion ON outbox (player, game) WHERE occasion IS NOT NULL;

-- Who is away is listed.
CREATE INDEX absence_until ON absence (until_at);

-- The commands that an answer suggests, one a line.
ALTER TABLE outbox ADD COLUMN suggested TEXT;

-- Whether the mail with held commands also had a comment or note, which was not kept.
ALTER TABLE held ADD COLUMN had_words INTEGER NOT NULL DEFAULT 0 CHECK (had_words IN (0, 1));

-- The last pause of the mail to a player, until an answer reports it: when it had begun to fail, and
-- when it was sent again.
ALTER TABLE player ADD COLUMN failed_from INTEGER;
ALTER TABLE player ADD COLUMN failed_until INTEGER;
