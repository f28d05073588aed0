-- The schema of a new database; `migrations/` changes older ones into it. Times are seconds since 1970 in
-- UTC. A column that refers to an event has the event's number in the log of its game; 0 is the start of the
-- game. Marks are random words that distinguish rows, since the numbers of rows come again after a backup is
-- restored. Reply tokens are bound to them. Null: the row is older than marks.

-- This installation: one row, added with the first mail or token.
CREATE TABLE installation (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    token      TEXT    NOT NULL,              -- part of all its Message-IDs
    secret     BLOB    NOT NULL,              -- makes reply tokens for people who are not signed up, and the key that signs games
    created_at INTEGER NOT NULL,
    -- When `send` last checked for passed deadlines; null: never.
    deadlines_checked_at INTEGER,
    -- When the last notice to the host was queued.
    host_notified_at INTEGER
) STRICT;


-- People. Computer players have no row.

CREATE TABLE player (
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
    drawn      INTEGER NOT NULL DEFAULT 0,
    -- The turns in such games that had a clock, and those of them in which the time ran out.
    timed_turns INTEGER NOT NULL DEFAULT 0,
    late_turns  INTEGER NOT NULL DEFAULT 0,

    -- Settings, too: whether others may watch the player's games (`none` or `all`), and with how many open
    -- games and challenges others may still challenge the player (a number, or `off`).
    watchers   TEXT    NOT NULL DEFAULT 'none',
    challenges TEXT    NOT NULL DEFAULT '20',
    reminders  TEXT    NOT NULL DEFAULT 'on',
    -- Whether the player gets the letter of the club, and whether the letters to others name the player.
    letter     INTEGER NOT NULL DEFAULT 0 CHECK (letter IN (0, 1)),
    named      TEXT    NOT NULL DEFAULT 'on',
    -- The Monday, in the player's time zone, of the next letter; it stays while `letter` is off. Null: `letter`
    -- was never on.
    letter_at  INTEGER
) STRICT;

CREATE INDEX player_letter  ON player (letter_at) WHERE letter = 1 AND left_at IS NULL;
-- New members are listed.
CREATE INDEX player_created ON player (created_at);

-- Failures of the mail to players within the last month, until a sign of life from the player.
CREATE TABLE failure (
    player    INTEGER NOT NULL REFERENCES player,
    failed_at INTEGER NOT NULL
) STRICT;

CREATE INDEX failure_player ON failure (player, failed_at);

-- When players were, are or will be away. The log of each game has its own record of it.
CREATE TABLE absence (
    player   INTEGER NOT NULL REFERENCES player,
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,                -- the first second after the absence
    PRIMARY KEY (player, from_at)
) STRICT, WITHOUT ROWID;

-- Who is away is listed.
CREATE INDEX absence_until ON absence (until_at);

-- Players who have blocked the comments of an author.
CREATE TABLE blocked (
    player INTEGER NOT NULL REFERENCES player,
    author INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (player, author)
) STRICT, WITHOUT ROWID;


-- Games.

CREATE TABLE game (
    id             INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    variant        TEXT    NOT NULL,          -- a label: the rules are in the next six columns

    board_rows     INTEGER,                   -- null on the hex lattice, as is the next
    board_columns  INTEGER,
    misere         INTEGER NOT NULL DEFAULT 0 CHECK (misere IN (0, 1)),
    anywhere       INTEGER NOT NULL DEFAULT 0 CHECK (anywhere IN (0, 1)),
    stuck          TEXT    NOT NULL DEFAULT 'auto'   -- what happens to a player who cannot place a disc
                   CHECK (stuck IN ('auto', 'explicit', 'loses')),
    supply         INTEGER,                   -- discs of each player; null: no limit
    start          TEXT,                      -- a position string; null: the rules' own start
    frame          TEXT,                      -- the label of the first cell in `start`

    black          INTEGER REFERENCES player,
    white          INTEGER REFERENCES player,
    -- A computer player, such as 'bot:5', instead of a person; in an imported game, any name.
    black_bot      TEXT,
    white_bot      TEXT,
    thread         TEXT    NOT NULL,          -- the Message-ID that all mails of the game refer to
    created_at     INTEGER NOT NULL,

    clock          TEXT    NOT NULL DEFAULT 'none',  -- the time control, such as '3d' or '10d+1d'
    free_weekends  INTEGER NOT NULL DEFAULT 0 CHECK (free_weekends IN (0, 1)),
    flag           TEXT    NOT NULL DEFAULT 'claim' CHECK (flag IN ('claim', 'hard')),
    absences       INTEGER NOT NULL DEFAULT 1 CHECK (absences IN (0, 1)),

    -- Derived from the above and the events, so that lists need not replay games.
    ply            INTEGER NOT NULL DEFAULT 0,
    events         INTEGER NOT NULL DEFAULT 0,       -- how many there are
    position_event INTEGER NOT NULL DEFAULT 0,       -- the last that changed the position
    turn           TEXT    CHECK (turn IN ('black', 'white')),  -- null: finished
    to_move        INTEGER REFERENCES player,        -- the player to move, if a person
    to_wait        INTEGER REFERENCES player,        -- the opponent, if a person
    since          INTEGER NOT NULL,                 -- when the turn began, or when the game ended
    black_discs    INTEGER NOT NULL DEFAULT 0,
    white_discs    INTEGER NOT NULL DEFAULT 0,
    winner         TEXT    CHECK (winner IN ('black', 'white')),
    reason         TEXT,                             -- why it ended; null: active
    -- When the time of the player to move is over. If no clock runs, it is the last second of the
    -- year 9999, so that such games come last in an index.
    deadline       INTEGER NOT NULL DEFAULT 253402300799,
    -- Derived from the reminders, too: when housekeeping must look at the game; null: never.
    alarm_at       INTEGER,
    -- When the clock of the first turn starts; null: at once.
    turn_starts_at INTEGER,
    offer_event    INTEGER,                          -- the event that made the open offer; null: none is open
    paused         INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    -- In a game without a clock: the event that began the turn that the opponent can claim and was mailed
    -- about; null: none.
    claim_event    INTEGER,
    alarm_error    TEXT,                             -- why housekeeping failed, which the alarm repeats

    rated          INTEGER NOT NULL DEFAULT 0 CHECK (rated IN (0, 1)),
    -- Whether `play` began it: at one keyboard, or against a computer player on a board in the terminal.
    -- Nobody is mailed about such a game.
    local          INTEGER NOT NULL DEFAULT 0 CHECK (local IN (0, 1)),
    mark           TEXT,                             -- that of its challenge, if it had one
    -- How its opening was chosen when it began; null: the players made all moves.
    opening        TEXT,
    digest         BLOB,                             -- of the record of an imported game; null: it is not imported

    CHECK ((black IS NULL) <> (black_bot IS NULL)),
    CHECK ((white IS NULL) <> (white_bot IS NULL)),
    CHECK (black <> white),
    CHECK (turn IS NOT NULL OR (to_move IS NULL AND to_wait IS NULL)),
    CHECK ((turn IS NULL) = (reason IS NOT NULL))
) STRICT;

-- Each list of games is read in order from an index.
CREATE INDEX game_active    ON game (deadline, since, id)          WHERE turn IS NOT NULL;
CREATE INDEX game_to_move   ON game (to_move, deadline, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_to_wait   ON game (to_wait, deadline, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_finished  ON game (since, id)                    WHERE turn IS NULL AND digest IS NULL;
CREATE INDEX game_imported  ON game (since, id)                    WHERE digest IS NOT NULL;
CREATE INDEX game_black     ON game (black, since);
CREATE INDEX game_white     ON game (white, since);
CREATE INDEX game_black_bot ON game (black_bot, since)             WHERE black_bot IS NOT NULL;
CREATE INDEX game_white_bot ON game (white_bot, since)             WHERE white_bot IS NOT NULL;
CREATE INDEX game_black_bot_active ON game (black_bot, turn, deadline, since, id)
    WHERE black_bot IS NOT NULL AND turn IS NOT NULL;
CREATE INDEX game_white_bot_active ON game (white_bot, turn, deadline, since, id)
    WHERE white_bot IS NOT NULL AND turn IS NOT NULL;

-- Housekeeping takes the earliest alarm, and with it those of the same player.
CREATE INDEX game_alarm         ON game (alarm_at, to_move) WHERE alarm_at IS NOT NULL;
CREATE INDEX game_to_move_alarm ON game (to_move, alarm_at) WHERE alarm_at IS NOT NULL;
CREATE INDEX game_alarm_error ON game (alarm_at) WHERE alarm_error IS NOT NULL;
-- The same record is one game.
CREATE UNIQUE INDEX game_digest ON game (digest) WHERE digest IS NOT NULL;
-- The openings that two players have had.
CREATE INDEX game_opening ON game (black, white) WHERE opening IS NOT NULL;

-- The logs of the games: a game is its start and its events.
CREATE TABLE event (
    game   INTEGER NOT NULL REFERENCES game,
    number INTEGER NOT NULL CHECK (number > 0),
    at     INTEGER NOT NULL,
    author TEXT    NOT NULL CHECK (author IN ('b', 'w', 'h')),  -- h: the host or the clock
    action TEXT    NOT NULL,                  -- a cell such as 'd3', 'pass', 'offer draw' and so on
    -- When the clock of a turn starts that begins with this event, or with the game; null: at once, or the
    -- event begins no turn.
    turn_starts_at INTEGER,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX event_note     ON event (game, author) WHERE substr(action, 1, 5) = 'note ';

-- Moves that players have planned. Nobody but its owner sees a plan.
CREATE TABLE plan (
    game     INTEGER NOT NULL REFERENCES game,
    player   INTEGER NOT NULL REFERENCES player,
    event    INTEGER NOT NULL,                -- the last before the moves of the plan
    branches TEXT    NOT NULL,                -- lines of moves, separated by slashes
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

-- Players who have stopped their turn mails for a game.
CREATE TABLE unsubscribed (
    game   INTEGER NOT NULL REFERENCES game,
    player INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;

-- Analyses of finished games. Each is computed once.
CREATE TABLE analysis (
    game       INTEGER NOT NULL PRIMARY KEY REFERENCES game,
    created_at INTEGER NOT NULL
) STRICT;

-- The moves of an analyzed game. Values are expected margins in discs, for the player who moved.
CREATE TABLE analysis_ply (
    game       INTEGER NOT NULL REFERENCES analysis ON DELETE CASCADE,
    ply        INTEGER NOT NULL,              -- counted from 1
    best       TEXT    NOT NULL,              -- the best move
    choices    INTEGER NOT NULL,              -- how many moves were legal
    value      INTEGER NOT NULL,              -- of the move that was made
    best_value INTEGER NOT NULL,              -- of the best move
    depth      INTEGER NOT NULL,
    exact      INTEGER NOT NULL CHECK (exact IN (0, 1)),
    line       TEXT    NOT NULL DEFAULT '',   -- the main line after the best move; empty if none was better
    decided    INTEGER NOT NULL DEFAULT 0 CHECK (decided IN (0, 1)), -- who wins is proved, but not by how much
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;


-- Jobs: work that takes time. It is done after the commit, and never within a transaction.

CREATE TABLE job (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,             -- 'move' and 'answer' of a computer player; 'hint', 'analysis'
    game        INTEGER NOT NULL REFERENCES game,
    event       INTEGER NOT NULL,             -- the last that changed the position it is for
    player      INTEGER REFERENCES player,    -- the person who asked for it or plays the bot; null: nobody
    queued_at   INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    lease       TEXT,                         -- the process that is doing it
    lease_until INTEGER NOT NULL DEFAULT 0,
    tries       INTEGER NOT NULL DEFAULT 0,   -- how often it was claimed
    failures    INTEGER NOT NULL DEFAULT 0,   -- how often it failed
    last_error  TEXT,
    -- 0: a level that answers at once; 1: a stronger one, or a program; 2: a hint or an analysis.
    rank        INTEGER NOT NULL DEFAULT 0 CHECK (rank BETWEEN 0 AND 2)
) STRICT;

-- Computer players go first, because somebody waits for them.
CREATE INDEX job_due    ON job (kind IN ('hint', 'analysis'), due_at, id);
CREATE INDEX job_game   ON job (game);
CREATE INDEX job_player ON job (player) WHERE player IS NOT NULL;
CREATE INDEX job_order  ON job (player, rank, due_at, id, lease_until);
CREATE INDEX job_lease  ON job (lease_until) WHERE lease IS NOT NULL;
-- The computer players of a game have at most one job.
CREATE UNIQUE INDEX job_bot ON job (game) WHERE kind IN ('move', 'answer');


-- Outgoing mail.

-- Commands from unverified senders, which wait for a confirmation.
CREATE TABLE held (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    player     INTEGER REFERENCES player,     -- null: the sender is not signed up
    address    TEXT    NOT NULL,              -- is asked to confirm
    created_at INTEGER NOT NULL,
    done_at    INTEGER,                       -- null: waiting
    -- Whether the mail with held commands also had a comment or note, which was not kept.
    had_words      INTEGER NOT NULL DEFAULT 0 CHECK (had_words IN (0, 1)),
    -- Whether a yes makes the address of the held row the player's. Such a row has no commands.
    is_new_address INTEGER NOT NULL DEFAULT 0 CHECK (is_new_address IN (0, 1)),
    -- Whether the mail with held commands was verified. A "no" to others ends such questions for some time.
    is_verified    INTEGER NOT NULL DEFAULT 0 CHECK (is_verified IN (0, 1)),
    mark           TEXT
) STRICT;

CREATE INDEX held_new_address ON held (player, created_at) WHERE is_new_address = 1;
CREATE INDEX held_player    ON held (player)         WHERE player IS NOT NULL;

-- The outbox keeps a delivered mail for some days. Its number is part of its return path, so no
-- number is used twice.
CREATE TABLE outbox (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    player      INTEGER REFERENCES player,
    address     TEXT,                         -- the recipient, if not a player
    game        INTEGER REFERENCES game,
    ply         INTEGER,                      -- how many moves the game had
    events      INTEGER,                      -- how many events the game had
    -- The words of a notice, an answer or a letter; whom a mismatch is about; the Monday of an untried letter.
    text        TEXT,
    held        INTEGER REFERENCES held,      -- the commands to be confirmed
    is_reply    INTEGER NOT NULL DEFAULT 0 CHECK (is_reply IN (0, 1)),
    in_reply_to TEXT,                         -- the Message-ID of the mail that it replies to

    state       TEXT    NOT NULL DEFAULT 'queued',
    for_digest  INTEGER NOT NULL DEFAULT 0    -- whether it becomes part of a digest when it is due
                CHECK (for_digest IN (0, 1)),
    tries       INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,             -- of a sent mail: when it was sent
    lease       TEXT,                         -- the process that is sending it
    lease_until INTEGER NOT NULL DEFAULT 0,
    sent_to     TEXT,                         -- the address of the last try
    last_error  TEXT,
    bounced_at  INTEGER,                      -- when it first bounced
    bounces     INTEGER NOT NULL DEFAULT 0,   -- how often it bounced
    bounced_try INTEGER NOT NULL DEFAULT 0,   -- the last try that bounced
    -- When a mail goes is decided before each try.
    not_before   INTEGER,                     -- the end of a grace, for example; null: no limit
    is_prompt    INTEGER NOT NULL DEFAULT 0   -- whether no setting holds it back
                 CHECK (is_prompt IN (0, 1)),
    occasion     TEXT,                        -- why a notice is sent, if that must still hold
    first_try_at INTEGER,                     -- since when its content is fixed; null: not yet
    shown        TEXT,                        -- what of it must still hold at a later try
    suggested    TEXT,                        -- the commands that an answer suggests, one a line
    says_turn    INTEGER NOT NULL DEFAULT 0   -- whether its Subject says whose turn it is
                 CHECK (says_turn IN (0, 1)),
    challenge    INTEGER REFERENCES challenge,  -- the challenge that it is about
    caused_by    INTEGER REFERENCES player,   -- who caused it, if it counts for the recipient's quota
    mark         TEXT,

    CHECK ((player IS NULL) <> (address IS NULL)),
    CHECK ((game IS NULL) = (ply IS NULL))
) STRICT;

-- Most mails are delivered, and are in no index.
CREATE INDEX outbox_due       ON outbox (due_at, id)     WHERE state = 'queued';
CREATE INDEX outbox_digest    ON outbox (due_at, player) WHERE state = 'queued' AND for_digest;
CREATE INDEX outbox_unsent    ON outbox (player, game)   WHERE state IN ('queued', 'paused', 'failed');
CREATE INDEX outbox_held      ON outbox (held)           WHERE held IS NOT NULL;
CREATE INDEX outbox_back      ON outbox (player)         WHERE bounced_at IS NOT NULL;
CREATE INDEX outbox_occasion  ON outbox (player, game)   WHERE occasion IS NOT NULL;
CREATE INDEX outbox_challenge ON outbox (challenge)      WHERE challenge IS NOT NULL;
CREATE INDEX outbox_host      ON outbox (id)             WHERE kind = 'host' AND state = 'queued';
CREATE INDEX outbox_caused    ON outbox (player, caused_by) WHERE caused_by IS NOT NULL;
-- `mail GAME` lists the mails of a game, and `takeback` looks for those about a move.
CREATE INDEX outbox_game      ON outbox (game)           WHERE game IS NOT NULL;
-- The farewells to players who have left. When one was sent or has failed, its address is erased.
CREATE INDEX outbox_farewell  ON outbox (created_at)     WHERE kind = 'farewell';
-- What a player who leaves had is found by index.
CREATE INDEX outbox_settled   ON outbox (player)         WHERE state IN ('sent', 'superseded');

-- The games of a digest, as they stood when it was queued.
CREATE TABLE digest_game (
    mail   INTEGER NOT NULL REFERENCES outbox ON DELETE CASCADE,
    number INTEGER NOT NULL,                  -- the place in the digest, from 1
    game   INTEGER NOT NULL REFERENCES game,
    ply    INTEGER NOT NULL,                  -- how many moves the game had
    events INTEGER NOT NULL,                  -- how many events the game had
    PRIMARY KEY (mail, number)
) STRICT, WITHOUT ROWID;

-- The digests that have a game.
CREATE INDEX digest_game_game ON digest_game (game);

-- The files that unsent answers bring.
CREATE TABLE attachment (
    mail       INTEGER NOT NULL REFERENCES outbox ON DELETE CASCADE,
    number     INTEGER NOT NULL,              -- the place in the mail, from 1
    name       TEXT    NOT NULL,              -- of the file
    media_type TEXT    NOT NULL,              -- RFC 2046
    content    TEXT    NOT NULL,
    PRIMARY KEY (mail, number)
) STRICT, WITHOUT ROWID;

-- Reminders of the current turn of each game. They stay when the record of their mail is deleted.
CREATE TABLE reminder (
    game         INTEGER NOT NULL REFERENCES game,
    event        INTEGER NOT NULL,            -- began the turn or changed its time
    stage        INTEGER NOT NULL CHECK (stage IN (1, 2)),
    mail         INTEGER NOT NULL,            -- the mail with the reminder
    delivered_at INTEGER,
    PRIMARY KEY (game, event, stage)
) STRICT, WITHOUT ROWID;

CREATE INDEX reminder_mail ON reminder (mail);

-- Comments for opponents. The words are in the log, and stay when the record of the mail is deleted.
CREATE TABLE comment (
    game    INTEGER NOT NULL REFERENCES game,
    event   INTEGER NOT NULL,
    reader  INTEGER NOT NULL REFERENCES player,
    said_at INTEGER NOT NULL,
    at_once INTEGER NOT NULL CHECK (at_once IN (0, 1)),  -- whether it was to have a mail of its own
    mail    INTEGER,                          -- the mail with the comment; null: none yet
    PRIMARY KEY (game, event)
) STRICT, WITHOUT ROWID;


-- Incoming mail.

-- Fingerprints of processed mails, so that no copy is processed again.
CREATE TABLE seen (
    digest  BLOB    NOT NULL PRIMARY KEY,
    sender  TEXT    NOT NULL COLLATE NOCASE,  -- 'player 7' if verified, or else an address
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX seen_sender ON seen (sender, seen_at);
CREATE INDEX seen_time   ON seen (seen_at);

-- Replies to mail within the last day, and how they are limited.
CREATE TABLE reply (
    mailbox     TEXT    NOT NULL COLLATE NOCASE,
    is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
    has_command INTEGER NOT NULL CHECK (has_command IN (0, 1)),  -- whether the mail had a valid command
    replied_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX reply_mailbox ON reply (mailbox, is_verified, replied_at);
CREATE INDEX reply_time    ON reply (replied_at, is_verified);

-- Mailboxes that sent mails in a row without a valid command.
CREATE TABLE idle (
    mailbox     TEXT    NOT NULL COLLATE NOCASE,
    is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
    mails       INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    PRIMARY KEY (mailbox, is_verified)
) STRICT, WITHOUT ROWID;

-- How many incoming mails were processed in which way.
CREATE TABLE intake (
    disposition TEXT    NOT NULL PRIMARY KEY,
    mails       INTEGER NOT NULL,
    last_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The mails in the quarantine.
CREATE TABLE quarantine (
    file       TEXT    NOT NULL PRIMARY KEY,  -- the name in the folder of the quarantine
    reason     TEXT    NOT NULL,
    sender     TEXT,                          -- as the mail says, like the next three
    subject    TEXT,
    message_id TEXT,
    date       TEXT,
    bytes      INTEGER NOT NULL,              -- of the whole mail, even if only a part is kept
    came_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
    mark          TEXT,
    opening       TEXT,                       -- as in the table `game`

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

-- Tournaments.
CREATE TABLE tournament (
    id            INTEGER NOT NULL PRIMARY KEY,
    name          TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    format        TEXT    NOT NULL,           -- 'round-robin', 'swiss' or 'league'
    doubled       INTEGER NOT NULL CHECK (doubled IN (0, 1)),
    places        INTEGER NOT NULL,           -- the most players
    lowest        INTEGER,                    -- the ratings of those who may join; null: all
    highest       INTEGER,

    -- What the players of its games agree on, as in the table `game`.
    variant       TEXT    NOT NULL,
    board_rows    INTEGER,
    board_columns INTEGER,
    misere        INTEGER NOT NULL CHECK (misere IN (0, 1)),
    anywhere      INTEGER NOT NULL CHECK (anywhere IN (0, 1)),
    stuck         TEXT    NOT NULL CHECK (stuck IN ('auto', 'explicit', 'loses')),
    supply        INTEGER,
    start         TEXT,
    frame         TEXT,
    opening       TEXT,
    clock         TEXT    NOT NULL,
    free_weekends INTEGER NOT NULL CHECK (free_weekends IN (0, 1)),
    flag          TEXT    NOT NULL CHECK (flag IN ('claim', 'hard')),
    absences      INTEGER NOT NULL CHECK (absences IN (0, 1)),
    rated         INTEGER NOT NULL CHECK (rated IN (0, 1)),

    mark          TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    starts_at     INTEGER,                    -- null: when its places are full or the host starts it
    postponed     INTEGER NOT NULL DEFAULT 0, -- how often its start was put off
    state         TEXT    NOT NULL DEFAULT 'open'
                  CHECK (state IN ('open', 'running', 'finished', 'cancelled')),
    ended_at      INTEGER,
    due_at        INTEGER,                    -- when `send` must look at it; null: never
    rounds        INTEGER,                    -- of a Swiss tournament; null: the start decides
    division_size INTEGER NOT NULL DEFAULT 8, -- of a league, as `moved`
    moved         INTEGER NOT NULL DEFAULT 2, -- how many move up, and down, after a season
    season        INTEGER NOT NULL DEFAULT 0, -- the last that has begun; 1 is the only one outside of leagues
    began_at      INTEGER                     -- when it began; null: none has
) STRICT;

CREATE INDEX tournament_due   ON tournament (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX tournament_state ON tournament (state, ended_at, id);

-- The players of the seasons of tournaments.
CREATE TABLE entrant (
    tournament    INTEGER NOT NULL REFERENCES tournament,
    season        INTEGER NOT NULL,
    player        INTEGER NOT NULL REFERENCES player,
    joined_at     INTEGER NOT NULL,
    division      INTEGER,                    -- from 1; null: the season has not begun
    number        INTEGER,                    -- in the division, from 1; null: as above
    bye           INTEGER,                    -- the round in which a player of a Swiss had no opponent
    -- How many of the player's games were over when the player withdrew; null: the player has not.
    withdrawn     INTEGER,

    PRIMARY KEY (tournament, season, player)
) STRICT, WITHOUT ROWID;

CREATE INDEX entrant_player ON entrant (player);

-- The games of a tournament.
CREATE TABLE pairing (
    tournament    INTEGER NOT NULL REFERENCES tournament,
    season        INTEGER NOT NULL,
    division      INTEGER NOT NULL,
    number        INTEGER NOT NULL,           -- from 1
    round         INTEGER NOT NULL,           -- from 1
    black         INTEGER NOT NULL REFERENCES player,
    white         INTEGER NOT NULL REFERENCES player,
    game          INTEGER UNIQUE REFERENCES game,  -- null: it has not begun

    PRIMARY KEY (tournament, season, division, number),
    CHECK (black <> white)
) STRICT, WITHOUT ROWID;

-- As which player each user of the system played last.
CREATE TABLE system_user (
    id     INTEGER NOT NULL PRIMARY KEY,      -- the user's number
    player INTEGER NOT NULL REFERENCES player
) STRICT;

CREATE INDEX system_user_player ON system_user (player);

-- What happened to each incoming mail, without its words. Kept for 30 days.
CREATE TABLE received (
    id          INTEGER NOT NULL PRIMARY KEY,
    received_at INTEGER NOT NULL,
    player      INTEGER REFERENCES player,    -- whose mail or token it is, or to whom the mail that bounced
    sender      TEXT,                         -- the address, if it is not that of the player
    understood  TEXT    NOT NULL,             -- the words of its commands, with spaces between
    disposition TEXT    NOT NULL,
    why         TEXT    NOT NULL
) STRICT;

CREATE INDEX received_time ON received (received_at);
CREATE INDEX received_player ON received (player);

-- What the host is told of in the next notice: one row for each kind and thing. Only recorded if the
-- configuration names the host's address.
CREATE TABLE news (
    kind     TEXT    NOT NULL,
    about    INTEGER NOT NULL,                -- the player or the game, by its kind; 0 if none
    count    INTEGER NOT NULL,                -- how often it has happened
    text     TEXT    NOT NULL,                -- the last reason; may be empty
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    mail     INTEGER,                         -- the notice that has it and was not delivered yet; null: none
    told     INTEGER NOT NULL DEFAULT 0,      -- how often the notice `mail` says that it happened
    next_at  INTEGER,                         -- when it first happened after that; null: not yet
    PRIMARY KEY (kind, about)
) STRICT, WITHOUT ROWID;

-- Mails of `doctor` that ask for an answer: to the server's own address, and to people.
CREATE TABLE probe (
    mail     INTEGER NOT NULL PRIMARY KEY,    -- its number in the outbox, where its record is deleted later
    is_loop  INTEGER NOT NULL CHECK (is_loop IN (0, 1)),
    address  TEXT    COLLATE NOCASE,          -- whom it asks; null: this server, or it was answered
    asked_at INTEGER NOT NULL,
    came_at  INTEGER,                         -- when it came back or was answered; null: not yet
    -- What the answer of a person bore: the host in `by` of its first Received field, and the name and
    -- the results in its first Authentication-Results field. Null: it had no such field.
    receiver TEXT,
    server   TEXT,
    results  TEXT,
    mark     TEXT                             -- that of its mail
) STRICT;

CREATE INDEX probe_time ON probe (asked_at);

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

-- Mailboxes whose owner has said "no" to a question about unverified mail.
CREATE TABLE refusal (
    mailbox    TEXT    NOT NULL PRIMARY KEY COLLATE NOCASE,
    refused_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX refusal_time ON refusal (refused_at);

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

-- The marks of this installation, for mails about no game. Each backup begins another, which its copy lacks.
CREATE TABLE installation_mark (
    id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    from_at INTEGER NOT NULL,                 -- mails that were made from then on have it
    mark    TEXT    NOT NULL
) STRICT;

-- The replica of the database, which Litestream makes: checkpoints are left to Litestream. At most one row.
CREATE TABLE replica (
    id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    settings TEXT    NOT NULL                 -- the path of Litestream's settings
) STRICT;

-- The handover of the club to another machine: while there is a row, the database is only read.
CREATE TABLE handover (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    name    TEXT    NOT NULL,                 -- of the other machine
    is_copy INTEGER NOT NULL CHECK (is_copy IN (0, 1)) -- whether this is the database for it
) STRICT;

-- The public keys (Ed25519) of other clubs, by which the games that they have signed are known.
CREATE TABLE club_key (
    key  BLOB NOT NULL PRIMARY KEY,
    club TEXT NOT NULL                        -- the name that the host has given the club
) STRICT, WITHOUT ROWID;

-- The signed blocks of imported games that came in one, as their letters.
CREATE TABLE signed_game (
    game    INTEGER NOT NULL PRIMARY KEY REFERENCES game,
    letters TEXT    NOT NULL
) STRICT;
