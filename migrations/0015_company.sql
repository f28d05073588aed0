-- Members: a player need not have an address, and gets no mail then. SQLite cannot change the column, so
-- the table is built anew.
CREATE TABLE new_player (
    id         INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    address    TEXT    UNIQUE COLLATE NOCASE, -- null: the player gets no mail
    secret     BLOB    NOT NULL,              -- makes the player's reply tokens
    created_at INTEGER NOT NULL,
    left_at    INTEGER,                       -- when the membership ended; null: it has not

    -- Settings, in the words of the command `set`.
    receipt    INTEGER NOT NULL DEFAULT 0 CHECK (receipt IN (0, 1)),
    clock      TEXT    NOT NULL DEFAULT 'UTC sat,sun none',
    mail_mode  TEXT    NOT NULL DEFAULT 'each',
    style      TEXT    NOT NULL DEFAULT 'figure',
    grace      TEXT    NOT NULL DEFAULT 'off',
    subject    TEXT    NOT NULL DEFAULT 'off',

    -- Whether mail reaches the player.
    failures   INTEGER NOT NULL DEFAULT 0,    -- the number of rows in `failure`
    paused_at  INTEGER,                       -- since when mail is held back; null: it is not
    -- The last pause of the mail to the player, until an answer reports it: when it had begun to fail,
    -- and when it was sent again.
    failed_from  INTEGER,
    failed_until INTEGER,

    -- Derived from the games, so that lists need not count them. A finished game that counts for
    -- nobody is in none of these numbers.
    active     INTEGER NOT NULL DEFAULT 0,
    won        INTEGER NOT NULL DEFAULT 0,
    lost       INTEGER NOT NULL DEFAULT 0,
    drawn      INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO new_player (id, name, address, secret, created_at, receipt, clock, mail_mode, style, grace,
        subject, failures, paused_at, failed_from, failed_until, active, won, lost, drawn)
    SELECT id, name, address, secret, created_at, receipt, clock, mail_mode, style, grace,
        subject, failures, paused_at, failed_from, failed_until, active, won, lost, drawn
    FROM player;
DROP TABLE player;
ALTER TABLE new_player RENAME TO player;

-- The farewells to players who have left. When one was sent or has failed, its address is erased.
CREATE INDEX outbox_farewell ON outbox (created_at) WHERE kind = 'farewell';

-- Whether a yes makes the address of the held row the player's. Such a row has no commands.
ALTER TABLE held ADD COLUMN is_new_address INTEGER NOT NULL DEFAULT 0 CHECK (is_new_address IN (0, 1));

CREATE INDEX held_new_address ON held (player, created_at) WHERE is_new_address = 1;

-- When players asked for a new address within the last day.
CREATE TABLE address_request (
    player   INTEGER NOT NULL REFERENCES player,
    asked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX address_request_player ON address_request (player, asked_at);

-- Mailboxes whose mail gets no answer, as keyed hashes.
CREATE TABLE ban (
    mailbox   BLOB    NOT NULL PRIMARY KEY,
    banned_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rated games. A rematch is rated if the game before it was.
ALTER TABLE game ADD COLUMN rated INTEGER NOT NULL DEFAULT 0 CHECK (rated IN (0, 1));

-- Ratings. Each finished game that counts has a row for either player, with the rating after it. They
-- follow from the games in the order of their ends, and of their numbers within a second.
CREATE TABLE rating (
    list       TEXT    NOT NULL,              -- the rules of its games, such as '8x8'
    player     INTEGER NOT NULL REFERENCES player,
    ended_at   INTEGER NOT NULL,
    game       INTEGER NOT NULL REFERENCES game,
    opponent   INTEGER NOT NULL REFERENCES player,
    score      TEXT    NOT NULL CHECK (score IN ('won', 'drawn', 'lost')),
    rating     REAL    NOT NULL,
    deviation  REAL    NOT NULL,
    volatility REAL    NOT NULL,
    games      INTEGER NOT NULL,              -- how many the player had finished in the list
    PRIMARY KEY (list, player, ended_at, game)
) STRICT, WITHOUT ROWID;

CREATE INDEX rating_order ON rating (list, ended_at, game);
CREATE INDEX rating_game  ON rating (game);

-- The lists in which ratings are to be calculated again, from a game on or from where one was annulled.
CREATE TABLE recalculation (
    list     TEXT    NOT NULL PRIMARY KEY,
    ended_at INTEGER NOT NULL,
    game     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Records of players: results of finished games, as far as they count.
CREATE TABLE record (
    player INTEGER NOT NULL REFERENCES player,
    kind   TEXT    NOT NULL CHECK (kind IN ('black', 'white', 'player', 'bot')),
    about  TEXT    NOT NULL,                  -- of a colour: the rules; else the opponent's number or name
    won    INTEGER NOT NULL DEFAULT 0,
    drawn  INTEGER NOT NULL DEFAULT 0,
    lost   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (player, kind, about)
) STRICT, WITHOUT ROWID;

WITH finished AS (
    SELECT black, white, black_bot, white_bot, winner,
        iif(board_rows IS NULL, 'hex', board_rows || 'x' || board_columns)
        || iif(misere, ' misere', '')
        || CASE WHEN anywhere THEN ' anywhere' WHEN stuck <> 'auto' THEN ' ' || stuck ELSE '' END
        || coalesce(' ' || supply, '') AS rules
    FROM game WHERE turn IS NULL AND reason NOT IN ('annulled', 'declined')
), side AS (
    SELECT black AS player, 'black' AS own, 'black' AS kind, rules AS about, winner FROM finished
    UNION ALL SELECT white, 'white', 'white', rules, winner FROM finished
    UNION ALL SELECT black, 'black', iif(white IS NULL, 'bot', 'player'),
        CAST(coalesce(white, white_bot) AS TEXT), winner FROM finished
    UNION ALL SELECT white, 'white', iif(black IS NULL, 'bot', 'player'),
        CAST(coalesce(black, black_bot) AS TEXT), winner FROM finished
)
INSERT INTO record (player, kind, about, won, drawn, lost)
SELECT player, kind, about, sum(winner IS own), sum(winner IS NULL),
    sum(winner IS NOT NULL AND winner <> own)
FROM side WHERE player IS NOT NULL GROUP BY player, kind, about;

-- The turns of a player in such games that had a clock, and those of them in which the time ran out.
ALTER TABLE player ADD COLUMN timed_turns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE player ADD COLUMN late_turns INTEGER NOT NULL DEFAULT 0;

WITH turn AS (
    SELECT game, number, action IN ('claim', 'time-out b', 'time-out w') AS is_end,
        CASE action WHEN 'time-out b' THEN 'b' WHEN 'time-out w' THEN 'w'
            WHEN 'claim' THEN iif(author = 'b', 'w', 'b') ELSE author END AS side
    FROM event WHERE action IN ('claim', 'time-out b', 'time-out w')
        -- A move: a cell or a pass.
        OR author IN ('b', 'w') AND instr(action, ' ') = 0 AND action NOT IN
            ('auto-pass', 'resign', 'takeback', 'accept', 'decline', 'unpause', 'back', 'hint')
), own AS (
    SELECT *, lag(number, 1, 0) OVER (PARTITION BY game, side ORDER BY number) AS before FROM turn
), total AS (
    SELECT iif(side = 'b', black, white) AS player, count(*) AS turns, sum(is_end OR EXISTS (
        SELECT 1 FROM event WHERE event.game = own.game AND event.action = 'flag ' || side
            AND event.number BETWEEN own.before AND own.number)) AS late
    FROM own JOIN game ON game.id = own.game
    WHERE game.turn IS NULL AND reason NOT IN ('annulled', 'declined') AND clock <> 'none'
    GROUP BY 1
)
UPDATE player SET timed_turns = turns, late_turns = late FROM total WHERE total.player = player.id;

-- Watching. Whether others may watch the player's games: `none` or `all`.
ALTER TABLE player ADD COLUMN watchers TEXT NOT NULL DEFAULT 'none';

-- People who watch a game that they do not play. They get its mails as long as both players allow it.
CREATE TABLE watcher (
    game   INTEGER NOT NULL REFERENCES game,
    player INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

CREATE INDEX watcher_player ON watcher (player);

-- Challenges. A challenge has the number of the game that begins when it is accepted, so its number
-- comes from the same sequence; if it comes to nothing, no game has it.
CREATE TABLE challenge (
    id            INTEGER NOT NULL PRIMARY KEY,
    challenger    INTEGER NOT NULL REFERENCES player,
    opponent      INTEGER REFERENCES player,  -- null: anyone or a computer player
    bot           TEXT,                       -- the computer player that is challenged, if one is
    variant       TEXT    NOT NULL,

    -- The rules and the start, as in the table `game`.
    board_rows    INTEGER,
    board_columns INTEGER,
    misere        INTEGER NOT NULL DEFAULT 0 CHECK (misere IN (0, 1)),
    anywhere      INTEGER NOT NULL DEFAULT 0 CHECK (anywhere IN (0, 1)),
    stuck         TEXT    NOT NULL CHECK (stuck IN ('auto', 'explicit', 'loses')),
    supply        INTEGER,
    start         TEXT,
    frame         TEXT,
    moves         TEXT    NOT NULL,           -- the moves that are made already, with spaces between them

    clock         TEXT    NOT NULL,
    free_weekends INTEGER NOT NULL CHECK (free_weekends IN (0, 1)),
    flag          TEXT    NOT NULL CHECK (flag IN ('claim', 'hard')),
    absences      INTEGER NOT NULL CHECK (absences IN (0, 1)),
    rated         INTEGER NOT NULL CHECK (rated IN (0, 1)),
    color         TEXT    CHECK (color IN ('black', 'white')),  -- of the challenger; null: random

    thread        TEXT    NOT NULL,           -- the Message-ID that all its mails refer to, and the game's
    created_at    INTEGER NOT NULL,
    state         TEXT    NOT NULL DEFAULT 'open'
                  CHECK (state IN ('open', 'accepted', 'declined', 'withdrawn', 'expired')),
    closed_at     INTEGER,

    CHECK (challenger <> opponent),
    CHECK (opponent IS NULL OR bot IS NULL),
    CHECK ((state = 'open') = (closed_at IS NULL))
) STRICT;

-- Each list of challenges is read from an index.
CREATE INDEX challenge_open       ON challenge (created_at, id)        WHERE state = 'open';
CREATE INDEX challenge_opponent   ON challenge (opponent, created_at)  WHERE state = 'open';
CREATE INDEX challenge_challenger ON challenge (challenger, created_at);
CREATE INDEX challenge_pair       ON challenge (challenger, opponent, created_at);
CREATE INDEX challenge_answered   ON challenge (challenger, opponent, closed_at, id)
    WHERE state IN ('accepted', 'declined');

-- The challenge that a mail is about.
ALTER TABLE outbox ADD COLUMN challenge INTEGER REFERENCES challenge;

CREATE INDEX outbox_challenge ON outbox (challenge) WHERE challenge IS NOT NULL;

-- How many open games and challenges a player may have for others to challenge the player: a number, or
-- `off`.
ALTER TABLE player ADD COLUMN challenges TEXT NOT NULL DEFAULT '20';
