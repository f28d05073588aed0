-- The schema. Times are seconds since 1970 in UTC. A column that refers to an event has the event's
-- number in the log of its game; 0 is the start of the game.

-- This installation: one row, added with the first mail or token.
CREATE TABLE installation (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    token      TEXT    NOT NULL,              -- part of all its Message-IDs
    secret     BLOB    NOT NULL,              -- makes reply tokens for people who are not signed up
    created_at INTEGER NOT NULL
) STRICT;


-- People. Computer players have no row.

CREATE TABLE player (
    id         INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    address    TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    secret     BLOB    NOT NULL,              -- makes the player's reply tokens
    created_at INTEGER NOT NULL,

    -- Settings, in the words of the command `set`.
    receipt    INTEGER NOT NULL DEFAULT 0 CHECK (receipt IN (0, 1)),
    clock      TEXT    NOT NULL DEFAULT 'UTC sat,sun none',
    mail_mode  TEXT    NOT NULL DEFAULT 'each',
    style      TEXT    NOT NULL DEFAULT 'figure',
    grace      TEXT    NOT NULL DEFAULT 'off',

    -- Whether mail reaches the player.
    failures   INTEGER NOT NULL DEFAULT 0,    -- the number of rows in `failure`
    paused_at  INTEGER,                       -- since when mail is held back; null: it is not

    -- Derived from the games, so that lists need not count them. A finished game that counts for
    -- nobody is in none of these numbers.
    active     INTEGER NOT NULL DEFAULT 0,
    won        INTEGER NOT NULL DEFAULT 0,
    lost       INTEGER NOT NULL DEFAULT 0,
    drawn      INTEGER NOT NULL DEFAULT 0
) STRICT;

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
    black_bot      TEXT,                      -- a computer player, such as 'bot:5', instead of a person
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
CREATE INDEX game_finished  ON game (since, id)                    WHERE turn IS NULL;
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

-- The logs of the games: a game is its start and its events.
CREATE TABLE event (
    game   INTEGER NOT NULL REFERENCES game,
    number INTEGER NOT NULL CHECK (number > 0),
    at     INTEGER NOT NULL,
    author TEXT    NOT NULL CHECK (author IN ('b', 'w', 'h')),  -- h: the host or the clock
    action TEXT    NOT NULL,                  -- a cell such as 'd3', 'pass', 'offer draw' and so on
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

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
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;


-- Jobs: work that takes time. It is done after the commit, and never within a transaction.

CREATE TABLE job (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,             -- 'move' and 'answer' of a computer player; 'hint', 'analysis'
    game        INTEGER NOT NULL REFERENCES game,
    event       INTEGER NOT NULL,             -- the last that changed the position it is for
    player      INTEGER REFERENCES player,    -- who asked for it; null: nobody
    queued_at   INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    lease       TEXT,                         -- the process that is doing it
    lease_until INTEGER NOT NULL DEFAULT 0,
    tries       INTEGER NOT NULL DEFAULT 0,   -- how often it was claimed
    failures    INTEGER NOT NULL DEFAULT 0,   -- how often it failed
    last_error  TEXT
) STRICT;

-- Computer players go first, because somebody waits for them.
CREATE INDEX job_due    ON job (kind IN ('hint', 'analysis'), due_at, id);
CREATE INDEX job_game   ON job (game);
CREATE INDEX job_player ON job (player) WHERE player IS NOT NULL;
-- The computer players of a game have at most one job.
CREATE UNIQUE INDEX job_bot ON job (game) WHERE kind IN ('move', 'answer');


-- Outgoing mail.

-- Commands from unverified senders, which wait for a confirmation.
CREATE TABLE held (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    player     INTEGER REFERENCES player,     -- null: the sender is not signed up
    address    TEXT    NOT NULL,              -- is asked to confirm
    commands   TEXT    NOT NULL,              -- one per line
    created_at INTEGER NOT NULL,
    done_at    INTEGER                        -- null: waiting
) STRICT;

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
    text        TEXT,                         -- the words of a notice or an answer; whom a mismatch is about
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

    CHECK ((player IS NULL) <> (address IS NULL)),
    CHECK ((game IS NULL) = (ply IS NULL))
) STRICT;

-- Most mails are delivered, and are in no index.
CREATE INDEX outbox_due    ON outbox (due_at, id)     WHERE state = 'queued';
CREATE INDEX outbox_digest ON outbox (due_at, player) WHERE state = 'queued' AND for_digest;
CREATE INDEX outbox_unsent ON outbox (player, game)   WHERE state IN ('queued', 'paused', 'failed');
CREATE INDEX outbox_held   ON outbox (held)           WHERE held IS NOT NULL;
CREATE INDEX outbox_back   ON outbox (player)         WHERE bounced_at IS NOT NULL;

-- The games of a digest, as they stood when it was queued.
CREATE TABLE digest_game (
    mail   INTEGER NOT NULL REFERENCES outbox ON DELETE CASCADE,
    number INTEGER NOT NULL,                  -- the place in the digest, from 1
    game   INTEGER NOT NULL REFERENCES game,
    ply    INTEGER NOT NULL,                  -- how many moves the game had
    events INTEGER NOT NULL,                  -- how many events the game had
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
