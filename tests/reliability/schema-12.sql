-- A database of version 12 with rows in every table, as `.dump` of sqlite3 writes it, but with the
-- names of the columns. It never changes: databases like this one are in use.
PRAGMA application_id = 1332112491;
PRAGMA user_version = 12;
BEGIN;

CREATE TABLE installation (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    token      TEXT    NOT NULL,              -- part of all its Message-IDs
    secret     BLOB    NOT NULL,              -- makes reply tokens for people who are not signed up
    created_at INTEGER NOT NULL
) STRICT;
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
CREATE TABLE failure (
    player    INTEGER NOT NULL REFERENCES player,
    failed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX failure_player ON failure (player, failed_at);
CREATE TABLE absence (
    player   INTEGER NOT NULL REFERENCES player,
    from_at  INTEGER NOT NULL,
    until_at INTEGER NOT NULL,                -- the first second after the absence
    PRIMARY KEY (player, from_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE blocked (
    player INTEGER NOT NULL REFERENCES player,
    author INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (player, author)
) STRICT, WITHOUT ROWID;
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
CREATE INDEX game_alarm         ON game (alarm_at, to_move) WHERE alarm_at IS NOT NULL;
CREATE INDEX game_to_move_alarm ON game (to_move, alarm_at) WHERE alarm_at IS NOT NULL;
CREATE TABLE event (
    game   INTEGER NOT NULL REFERENCES game,
    number INTEGER NOT NULL CHECK (number > 0),
    at     INTEGER NOT NULL,
    author TEXT    NOT NULL CHECK (author IN ('b', 'w', 'h')),  -- h: the host or the clock
    action TEXT    NOT NULL,                  -- a cell such as 'd3', 'pass', 'offer draw' and so on
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE plan (
    game     INTEGER NOT NULL REFERENCES game,
    player   INTEGER NOT NULL REFERENCES player,
    event    INTEGER NOT NULL,                -- the last before the moves of the plan
    branches TEXT    NOT NULL,                -- lines of moves, separated by slashes
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE unsubscribed (
    game   INTEGER NOT NULL REFERENCES game,
    player INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
CREATE TABLE analysis (
    game       INTEGER NOT NULL PRIMARY KEY REFERENCES game,
    created_at INTEGER NOT NULL
) STRICT;
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
CREATE INDEX job_due    ON job (kind IN ('hint', 'analysis'), due_at, id);
CREATE INDEX job_game   ON job (game);
CREATE INDEX job_player ON job (player) WHERE player IS NOT NULL;
CREATE UNIQUE INDEX job_bot ON job (game) WHERE kind IN ('move', 'answer');
CREATE TABLE held (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    player     INTEGER REFERENCES player,     -- null: the sender is not signed up
    address    TEXT    NOT NULL,              -- is asked to confirm
    commands   TEXT    NOT NULL,              -- one per line
    created_at INTEGER NOT NULL,
    done_at    INTEGER                        -- null: waiting
) STRICT;
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
CREATE INDEX outbox_due    ON outbox (due_at, id)     WHERE state = 'queued';
CREATE INDEX outbox_digest ON outbox (due_at, player) WHERE state = 'queued' AND for_digest;
CREATE INDEX outbox_unsent ON outbox (player, game)   WHERE state IN ('queued', 'paused', 'failed');
CREATE INDEX outbox_held   ON outbox (held)           WHERE held IS NOT NULL;
CREATE INDEX outbox_back   ON outbox (player)         WHERE bounced_at IS NOT NULL;
CREATE TABLE digest_game (
    mail   INTEGER NOT NULL REFERENCES outbox ON DELETE CASCADE,
    number INTEGER NOT NULL,                  -- the place in the digest, from 1
    game   INTEGER NOT NULL REFERENCES game,
    ply    INTEGER NOT NULL,                  -- how many moves the game had
    events INTEGER NOT NULL,                  -- how many events the game had
    PRIMARY KEY (mail, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE reminder (
    game         INTEGER NOT NULL REFERENCES game,
    event        INTEGER NOT NULL,            -- began the turn or changed its time
    stage        INTEGER NOT NULL CHECK (stage IN (1, 2)),
    mail         INTEGER NOT NULL,            -- the mail with the reminder
    delivered_at INTEGER,
    PRIMARY KEY (game, event, stage)
) STRICT, WITHOUT ROWID;
CREATE INDEX reminder_mail ON reminder (mail);
CREATE TABLE comment (
    game    INTEGER NOT NULL REFERENCES game,
    event   INTEGER NOT NULL,
    reader  INTEGER NOT NULL REFERENCES player,
    said_at INTEGER NOT NULL,
    at_once INTEGER NOT NULL CHECK (at_once IN (0, 1)),  -- whether it was to have a mail of its own
    mail    INTEGER,                          -- the mail with the comment; null: none yet
    PRIMARY KEY (game, event)
) STRICT, WITHOUT ROWID;
CREATE TABLE seen (
    digest  BLOB    NOT NULL PRIMARY KEY,
    sender  TEXT    NOT NULL COLLATE NOCASE,  -- 'player 7' if verified, or else an address
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_sender ON seen (sender, seen_at);
CREATE INDEX seen_time   ON seen (seen_at);
CREATE TABLE reply (
    mailbox     TEXT    NOT NULL COLLATE NOCASE,
    is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
    has_command INTEGER NOT NULL CHECK (has_command IN (0, 1)),  -- whether the mail had a valid command
    replied_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX reply_mailbox ON reply (mailbox, is_verified, replied_at);
CREATE INDEX reply_time    ON reply (replied_at, is_verified);
CREATE TABLE idle (
    mailbox     TEXT    NOT NULL COLLATE NOCASE,
    is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
    mails       INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    PRIMARY KEY (mailbox, is_verified)
) STRICT, WITHOUT ROWID;
CREATE TABLE intake (
    disposition TEXT    NOT NULL PRIMARY KEY,
    mails       INTEGER NOT NULL,
    last_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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

INSERT INTO installation (id, token, secret, created_at) VALUES
    (1, 'arthsbsjd2oi', x'a19a43e427e7a511e3299b29e06bad8f6a7966ae7946e24f8196caded1733719', 1794859200);

INSERT INTO player (id, name, address, secret, created_at, receipt, clock, mail_mode, style, grace,
    failures, paused_at, active, won, lost, drawn) VALUES
    (1, 'carol', 'carol@example.org', x'b1bed1b6cdbd33a83dfeb5aae597dc8886461af303bb583db0e16f4d76de63c7', 1794859200, 0, 'UTC sat,sun none', 'each', 'figure', 'off', 4, 1794996000, 2, 0, 0, 0),
    (2, 'alice', 'alice@example.org', x'8e5af8403074db3351c13468d232c9e94da12069f2f2c0b995fbd808bf835065', 1794859200, 0, 'Europe/Amsterdam sat,sun none', 'digest 18:00', 'figure', 'off', 0, NULL, 5, 1, 1, 0),
    (3, 'bob', 'bob@example.org', x'00024a8c92ac83bbb2eda803482706613e898674924a8f41f2f958a0bd5d2bfe', 1794859200, 1, 'UTC sat,sun none', 'each', 'figure', '10m', 0, NULL, 3, 1, 1, 0);

INSERT INTO failure (player, failed_at) VALUES
    (1, 1794859200),
    (1, 1794859200),
    (1, 1794996000),
    (1, 1794996000);

INSERT INTO absence (player, from_at, until_at) VALUES
    (3, 1798070400, 1798761600);

INSERT INTO blocked (player, author) VALUES
    (2, 1);

INSERT INTO game (id, variant, board_rows, board_columns, misere, anywhere, stuck, supply, start,
    frame, black, white, black_bot, white_bot, thread, created_at, clock, free_weekends, flag,
    absences, ply, events, position_event, turn, to_move, to_wait, since, black_discs, white_discs,
    winner, reason, deadline, alarm_at) VALUES
    (1, 'othello', 8, 8, 0, 0, 'auto', NULL, NULL, NULL, 2, 3, NULL, NULL, 'game-1.arthsbsjd2oi@club.example', 1794859200, 'none', 0, 'claim', 1, 4, 7, 4, 'black', 2, 3, 1794996000, 4, 4, NULL, NULL, 253402300799, 1797588000),
    (2, 'mini', 4, 4, 1, 0, 'auto', NULL, NULL, NULL, 2, 1, NULL, NULL, 'game-2.arthsbsjd2oi@club.example', 1794859200, '5d', 0, 'hard', 0, 0, 0, 0, 'black', 2, 1, 1794859200, 2, 2, NULL, NULL, 1795291200, 1795269600),
    (3, 'oddthello', NULL, NULL, 0, 0, 'loses', 32, NULL, NULL, 3, 1, NULL, NULL, 'game-3.arthsbsjd2oi@club.example', 1794859200, '10d+1d', 0, 'claim', 1, 1, 2, 1, 'white', 1, 3, 1794859200, 4, 1, NULL, NULL, 1795723200, 1795550400),
    (4, 'othello', 6, 6, 0, 0, 'auto', NULL, NULL, NULL, 2, NULL, NULL, 'bot:3', 'game-4.arthsbsjd2oi@club.example', 1794859200, 'none', 0, 'claim', 1, 2, 2, 2, 'black', 2, NULL, 1794996000, 3, 3, NULL, NULL, 253402300799, NULL),
    (5, 'twente', 4, 4, 0, 0, 'explicit', NULL, '(w bw-- ---- ---- ----)', 'a1', 3, 2, NULL, NULL, 'game-5.arthsbsjd2oi@club.example', 1794859200, 'none', 0, 'claim', 1, 1, 2, 1, NULL, NULL, NULL, 1794996000, 1, 1, 'white', 'resigned', 253402300799, NULL),
    (6, 'mini', 4, 4, 0, 0, 'auto', NULL, NULL, NULL, 3, 2, NULL, NULL, 'game-6.arthsbsjd2oi@club.example', 1794859200, 'none', 0, 'claim', 1, 3, 4, 3, NULL, NULL, NULL, 1794996000, 6, 1, 'black', 'resigned', 253402300799, NULL),
    (7, 'mini', 4, 4, 0, 0, 'auto', NULL, NULL, NULL, 2, 3, NULL, NULL, 'game-7.arthsbsjd2oi@club.example', 1795213800, 'none', 0, 'claim', 1, 1, 2, 1, 'white', 3, 2, 1795213800, 4, 1, NULL, NULL, 253402300799, 1797805800),
    (8, 'othello', 8, 8, 0, 0, 'auto', NULL, NULL, NULL, NULL, 2, 'bot:9', NULL, 'game-8.arthsbsjd2oi@club.example', 1795213800, 'none', 0, 'claim', 1, 0, 0, 0, 'black', NULL, 2, 1795213800, 2, 2, NULL, NULL, 253402300799, NULL);

INSERT INTO event (game, number, at, author, action) VALUES
    (1, 1, 1794859200, 'b', 'f5'),
    (1, 2, 1794859200, 'w', 'd6'),
    (1, 3, 1794859200, 'b', 'c3'),
    (1, 4, 1794996000, 'w', 'd3'),
    (1, 5, 1794996000, 'w', 'say Good luck, alice'),
    (1, 6, 1794996000, 'b', 'offer draw'),
    (1, 7, 1795213800, 'w', 'away 1798070400 1798761600'),
    (3, 1, 1794859200, 'b', 'A4'),
    (3, 2, 1795213800, 'b', 'away 1798070400 1798761600'),
    (4, 1, 1794996000, 'b', 'e4'),
    (4, 2, 1794996000, 'w', 'c5'),
    (5, 1, 1794996000, 'w', 'pass'),
    (5, 2, 1794996000, 'b', 'resign'),
    (6, 1, 1794859200, 'b', 'a2'),
    (6, 2, 1794859200, 'w', 'a3'),
    (6, 3, 1794996000, 'b', 'a4'),
    (6, 4, 1794996000, 'w', 'resign'),
    (7, 1, 1795213800, 'b', 'a2'),
    (7, 2, 1795213800, 'w', 'away 1798070400 1798761600');

INSERT INTO plan (game, player, event, branches) VALUES
    (1, 3, 5, 'c4 f4');

INSERT INTO unsubscribed (game, player) VALUES
    (3, 3);

INSERT INTO analysis (game, created_at) VALUES
    (6, 1794996000);

INSERT INTO analysis_ply (game, ply, best, choices, value, best_value, depth, exact) VALUES
    (6, 1, 'a2', 4, -8, -8, 12, 1),
    (6, 2, 'a1', 3, -8, 8, 11, 1),
    (6, 3, 'a4', 4, 8, 8, 10, 1);

INSERT INTO job (id, kind, game, event, player, queued_at, due_at, lease, lease_until, tries,
    failures, last_error) VALUES
    (2, 'move', 8, 0, NULL, 1795213800, 1795213800, NULL, 0, 0, 0, NULL);

INSERT INTO held (id, player, address, commands, created_at, done_at) VALUES
    (1, 2, 'alice@example.org', 'resign 4', 1795213800, NULL),
    (2, NULL, 'dora@example.org', 'signup dora', 1795213800, NULL);

INSERT INTO outbox (id, message_id, kind, player, address, game, ply, events, text, held, is_reply,
    in_reply_to, state, for_digest, tries, created_at, due_at, lease, lease_until, sent_to,
    last_error, bounced_at, bounces, bounced_try) VALUES
    (1, '1.3.started.bor2ni6hucsj.arthsbsjd2oi@club.example', 'started', 2, NULL, 1, 3, 3, NULL, NULL, 0, NULL, 'sent', 0, 1, 1794859200, 1794859200, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (2, '1.3.started.xd557gmqq57j.arthsbsjd2oi@club.example', 'started', 3, NULL, 1, 3, 3, NULL, NULL, 0, NULL, 'sent', 0, 1, 1794859200, 1794859200, NULL, 0, 'bob@example.org', NULL, NULL, 0, 0),
    (3, '2.0.started.skm7v36ioajw.arthsbsjd2oi@club.example', 'started', 2, NULL, 2, 0, 0, NULL, NULL, 0, NULL, 'sent', 0, 1, 1794859200, 1794859200, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (4, '2.0.started.nrwztlkywa6q.arthsbsjd2oi@club.example', 'started', 1, NULL, 2, 0, 0, NULL, NULL, 0, NULL, 'paused', 0, 2, 1794859200, 1795118400, NULL, 0, 'carol@example.org', 'sh ended with status 67: 550 no such user', 1794859200, 2, 2),
    (6, '3.1.started.7efcen33bgpg.arthsbsjd2oi@club.example', 'started', 1, NULL, 3, 1, 1, NULL, NULL, 0, NULL, 'paused', 0, 2, 1794859200, 1794996000, NULL, 0, 'carol@example.org', 'sh ended with status 67: 550 no such user', 1794859200, 2, 2),
    (12, '5.1.turn.444wacnygfcp.arthsbsjd2oi@club.example', 'turn', 3, NULL, 5, 1, 1, NULL, NULL, 0, NULL, 'sent', 0, 1, 1794996000, 1794996000, NULL, 0, 'bob@example.org', NULL, NULL, 0, 0),
    (14, '2.0.paused.iqk4ulqimpqr.arthsbsjd2oi@club.example', 'paused', 2, NULL, 2, 0, 0, NULL, NULL, 0, NULL, 'sent', 0, 1, 1794996000, 1794996000, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (15, '5.1.over.4nqagrtjquy6.arthsbsjd2oi@club.example', 'over', 3, NULL, 5, 1, 2, NULL, NULL, 0, NULL, 'sent', 0, 1, 1794996000, 1794996000, NULL, 0, 'bob@example.org', NULL, NULL, 0, 0),
    (19, '1.4.turn.ofnuyvqai3yg.arthsbsjd2oi@club.example', 'turn', 2, NULL, 1, 4, 4, NULL, NULL, 0, NULL, 'superseded', 1, 0, 1794996000, 1795021200, NULL, 0, NULL, NULL, NULL, 0, 0),
    (20, '1.4.notice.opgtdjcgdvv7.arthsbsjd2oi@club.example', 'notice', 3, NULL, 1, 4, 6, replace('alice offers a draw in this game.\nGame 1 against alice.', '\n', char(10)), NULL, 0, NULL, 'sent', 0, 1, 1794996000, 1794996000, NULL, 0, 'bob@example.org', NULL, NULL, 0, 0),
    (21, '4.2.turn.vgfkoioi32wy.arthsbsjd2oi@club.example', 'turn', 2, NULL, 4, 2, 2, NULL, NULL, 0, NULL, 'superseded', 1, 0, 1794996000, 1795021200, NULL, 0, NULL, NULL, NULL, 0, 0),
    (22, 'reminder.fhszilu3oplx.arthsbsjd2oi@club.example', 'reminder', 2, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (23, 'digest.kfhoj3xszc5s.arthsbsjd2oi@club.example', 'digest', 2, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (24, 'notice.bqwg5qlijkoh.arthsbsjd2oi@club.example', 'notice', 1, NULL, NULL, NULL, NULL, replace('Your opponent bob is absent from Thursday, 24 December 2026 to Thursday, 31 December 2026.\nIn your games the clock of bob stands still then.', '\n', char(10)), NULL, 0, NULL, 'paused', 0, 0, 1795213800, 1795213800, NULL, 0, NULL, NULL, NULL, 0, 0),
    (25, 'notice.dppaefixjkkn.arthsbsjd2oi@club.example', 'notice', 2, NULL, NULL, NULL, NULL, replace('Your opponent bob is absent from Thursday, 24 December 2026 to Thursday, 31 December 2026.\nIn your games the clock of bob stands still then.', '\n', char(10)), NULL, 0, NULL, 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (26, 'confirm.lblrt6rzkzhw.arthsbsjd2oi@club.example', 'confirm', 2, NULL, NULL, NULL, NULL, NULL, 1, 1, '1@mailer.example', 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (27, 'answer.ug3fcvb535vq.arthsbsjd2oi@club.example', 'answer', 3, NULL, NULL, NULL, NULL, replace('Reply to (games):\n\nNo game waits for you.\n\nGame  Variant    Black  White  Moves  Score  State         Age     Left\n   3  Oddthello  bob    carol      1  4-1    carol''s turn  4 days  5 days\n   1  Othello    alice  bob        4  4-4    alice''s turn  2 days', '\n', char(10)), NULL, 1, '2@mailer.example', 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'bob@example.org', NULL, NULL, 0, 0),
    (28, 'answer.6xqumduoxmld.arthsbsjd2oi@club.example', 'answer', 3, NULL, NULL, NULL, NULL, replace('No command was found in your mail, so nothing was done.\n\nWrite one command per line, for example (move 12 d3), or (help) for all commands.', '\n', char(10)), NULL, 1, '3@mailer.example', 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'bob@example.org', NULL, NULL, 0, 0),
    (29, 'confirm.ptayt2e6eyy5.arthsbsjd2oi@club.example', 'confirm', NULL, 'dora@example.org', NULL, NULL, NULL, NULL, 2, 1, '4@mailer.example', 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'dora@example.org', NULL, NULL, 0, 0),
    (30, '7.1.started.raelrikpaxtp.arthsbsjd2oi@club.example', 'started', 2, NULL, 7, 1, 2, NULL, NULL, 0, NULL, 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0),
    (31, '7.1.started.5jo73hanctks.arthsbsjd2oi@club.example', 'started', 3, NULL, 7, 1, 2, NULL, NULL, 0, NULL, 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'bob@example.org', NULL, NULL, 0, 0),
    (32, '8.0.started.7zziv56qpohu.arthsbsjd2oi@club.example', 'started', 2, NULL, 8, 0, 0, NULL, NULL, 0, NULL, 'sent', 0, 1, 1795213800, 1795213800, NULL, 0, 'alice@example.org', NULL, NULL, 0, 0);

INSERT INTO digest_game (mail, number, game, ply, events) VALUES
    (23, 1, 2, 0, 0),
    (23, 2, 1, 4, 6),
    (23, 3, 4, 2, 2);

INSERT INTO reminder (game, event, stage, mail, delivered_at) VALUES
    (2, 0, 1, 22, 1795213800);

INSERT INTO comment (game, event, reader, said_at, at_once, mail) VALUES
    (1, 5, 2, 1794996000, 0, 23);

INSERT INTO seen (digest, sender, seen_at) VALUES
    (x'029ffb22cc0c6e4bb2237e3a4883d0dc633e4b28633171d76b406f1d2808d640', 'alice@example.org', 1795213800),
    (x'12bdc4abe20c84b25077bf52b5d01943fb04fba88d1107d9e5aafaf210f589ef', 'player 3', 1795213800),
    (x'56e08b5d067a3aeaf368c802311aa335335ab2f1d8bd4e4e91bb4edbd2eacd3a', 'player 3', 1795213800),
    (x'5ecea2c013c24fa24e23840da730d147bf348cd4b1f64ad754d488a513ca6693', 'dora@example.org', 1795213800);

INSERT INTO reply (mailbox, is_verified, has_command, replied_at) VALUES
    ('alice@example.org', 0, 1, 1795213800),
    ('bob@example.org', 1, 1, 1795213800),
    ('bob@example.org', 1, 0, 1795213800),
    ('dora@example.org', 0, 1, 1795213800);

INSERT INTO idle (mailbox, is_verified, mails, last_at) VALUES
    ('bob@example.org', 1, 1, 1795213800);

INSERT INTO intake (disposition, mails, last_at) VALUES
    ('done', 2, 1795213800),
    ('held', 2, 1795213800),
    ('quarantined', 1, 1795213800);

INSERT INTO quarantine (file, reason, sender, subject, message_id, date, bytes, came_at) VALUES
    ('a551efca9ae577f9.eml', 'it has no From field', NULL, 'no sender', NULL, NULL, 60, 1795213800);

DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES
    ('game', 8),
    ('held', 2),
    ('job', 2),
    ('outbox', 32);

COMMIT;
