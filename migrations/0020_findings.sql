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

-- The lines of held commands, in place of the text `held.commands`.
CREATE TABLE held_command (
    id       INTEGER NOT NULL PRIMARY KEY,
    held     INTEGER NOT NULL REFERENCES held ON DELETE CASCADE,
    kind     TEXT    NOT NULL,                -- 'leave', 'address' for a new one, or 'other'
    words    TEXT    NOT NULL,                -- the command as it is run when it is confirmed
    events   INTEGER,                         -- how many events its game had; null: it is about no game
    sentence TEXT                             -- what the person must know besides the words
) STRICT;

CREATE INDEX held_command_held ON held_command (held);

WITH RECURSIVE line (held, number, text, rest) AS (
    SELECT id, 0, '', commands || char(10) FROM held WHERE commands <> ''
    UNION ALL
    SELECT held, number + 1, substr(rest, 1, instr(rest, char(10)) - 1),
        substr(rest, instr(rest, char(10)) + 1)
    FROM line WHERE rest <> ''
), part (held, number, words, rest) AS (
    SELECT held, number, substr(text, 1, instr(text || char(9), char(9)) - 1),
        substr(text, instr(text || char(9), char(9)) + 1)
    FROM line WHERE number > 0
)
INSERT INTO held_command (held, kind, words, events, sentence)
SELECT held,
    CASE WHEN words = 'leave' THEN 'leave'
         WHEN substr(words, 1, 12) = 'set address ' THEN 'address'
         ELSE 'other' END,
    words,
    CASE WHEN rest = '' OR substr(rest, 1, 9) = 'challenge' THEN NULL
         ELSE CAST(substr(rest, 1, instr(rest, char(9)) - 1) AS INTEGER) END,
    CASE WHEN rest <> '' THEN substr(rest, instr(rest, char(9)) + 1) END
FROM part ORDER BY held, number;

ALTER TABLE held DROP COLUMN commands;

-- Whether the mail with held commands was verified. A "no" to others ends such questions for some time.
ALTER TABLE held ADD COLUMN is_verified INTEGER NOT NULL DEFAULT 0 CHECK (is_verified IN (0, 1));

-- Mailboxes whose owner has said "no" to a question about unverified mail.
CREATE TABLE refusal (
    mailbox    TEXT    NOT NULL PRIMARY KEY COLLATE NOCASE,
    refused_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX refusal_time ON refusal (refused_at);

-- The player who has caused a mail that counts for the quota of its recipient.
ALTER TABLE outbox ADD COLUMN caused_by INTEGER REFERENCES player;

CREATE INDEX outbox_caused ON outbox (player, caused_by) WHERE caused_by IS NOT NULL;

-- A job is also counted to the person who plays against the computer player: `job.player`.
-- 0: a level that answers at once; 1: a stronger one, or a program; 2: a hint or an analysis.
ALTER TABLE job ADD COLUMN rank INTEGER NOT NULL DEFAULT 0 CHECK (rank BETWEEN 0 AND 2);

UPDATE job SET rank = 2 WHERE kind IN ('hint', 'analysis');

UPDATE job SET
    player = (SELECT coalesce(black, white) FROM game WHERE id = job.game),
    rank = (SELECT CASE WHEN job.kind = 'move' AND turn = 'black' THEN black_bot
                        WHEN job.kind = 'move' THEN white_bot
                        ELSE coalesce(black_bot, white_bot) END
                NOT IN ('bot:novice', 'bot:beginner', 'bot:learner', 'bot:0', 'bot:1', 'bot:2', 'bot:3',
                        'bot:4', 'bot:5', 'bot:6', 'bot:7')
            FROM game WHERE id = job.game)
WHERE kind IN ('move', 'answer');

CREATE INDEX job_order ON job (player, rank, due_at, id, lease_until);
CREATE INDEX job_lease ON job (lease_until) WHERE lease IS NOT NULL;

-- The processor time of the jobs within the last hour that are counted to a player.
CREATE TABLE job_time (
    id           INTEGER NOT NULL PRIMARY KEY,
    player       INTEGER NOT NULL REFERENCES player,
    ended_at     INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL
) STRICT;

CREATE INDEX job_time_ended ON job_time (ended_at, player, milliseconds);

-- How many jobs were claimed from the whole queue.
CREATE TABLE job_count (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    claimed INTEGER NOT NULL
) STRICT;

-- The club that the database belongs to: digests of the parts of its configuration, without passwords. The
-- first configured `send` adds the row, and only `mail adopt` replaces it.
CREATE TABLE club (
    id        INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    sender    BLOB    NOT NULL,
    transport BLOB    NOT NULL,
    receive   BLOB    NOT NULL,
    web       BLOB    NOT NULL
) STRICT;

-- Marks: random words that distinguish rows, since after a backup is restored their numbers come again. Reply
-- tokens are bound to them. Null: the row is older than this schema.
ALTER TABLE game      ADD COLUMN mark TEXT;   -- that of its challenge, if it had one
ALTER TABLE challenge ADD COLUMN mark TEXT;
ALTER TABLE held      ADD COLUMN mark TEXT;
ALTER TABLE outbox    ADD COLUMN mark TEXT;
ALTER TABLE probe     ADD COLUMN mark TEXT;   -- that of its mail

-- The marks of this installation, for mails about no game. Each backup begins another, which its copy lacks.
CREATE TABLE installation_mark (
    id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    from_at INTEGER NOT NULL,                 -- mails that were made from then on have it
    mark    TEXT    NOT NULL
) STRICT;

INSERT INTO installation_mark (from_at, mark) SELECT 0, lower(hex(randomblob(8))) FROM installation;

-- The rules of deadlines have changed: the next `send` looks at every running clock.
UPDATE game SET alarm_at = 0 WHERE turn IS NOT NULL AND clock <> 'none' AND NOT local;
