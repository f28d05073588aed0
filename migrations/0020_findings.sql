-- One club, one history, nothing twice.

-- Since when no mail could be handed over to the mail server, and when one was accepted again: until the
-- deadlines of the turns whose mail waited are moved. At most one row.
CREATE TABLE mail_outage (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    since INTEGER NOT NULL,
    until INTEGER
) STRICT;

-- The clock of the server seems to be far ahead. At most one row.
CREATE TABLE clock_doubt (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    known INTEGER NOT NULL,                   -- the last time that is surely right
    since INTEGER,                            -- from when on `send` ran each day with that clock
    last  INTEGER                             -- when it last ran
) STRICT;

-- What a player who leaves had is found by index.
CREATE INDEX outbox_settled ON outbox (player)      WHERE state IN ('sent', 'superseded');
CREATE INDEX held_player    ON held (player)         WHERE player IS NOT NULL;
CREATE INDEX event_note     ON event (game, author) WHERE substr(action, 1, 5) = 'note ';

-- The private notes of players who have left: only their words are erased.
UPDATE event SET action = 'note (erased)' WHERE substr(action, 1, 5) = 'note ' AND EXISTS (
    SELECT 1 FROM game JOIN player ON player.id = iif(author = 'b', black, white)
    WHERE game.id = event.game AND left_at IS NOT NULL);
