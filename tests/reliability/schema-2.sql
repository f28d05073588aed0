-- A database as the program with schema 2 left it, as `.dump` of sqlite3 writes it.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1332112491;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE game (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    variant      TEXT    NOT NULL,
    board_rows   INTEGER,                 -- null on the hex lattice, as are the next four
    board_columns INTEGER,
    misere       INTEGER CHECK (misere IN (0, 1)),
    anywhere     INTEGER CHECK (anywhere IN (0, 1)),
    pass         TEXT    CHECK (pass IN ('auto', 'explicit')),
    start        TEXT,                    -- a position string; null: the start of the rules
    frame        TEXT,                    -- the label of its first cell
    black        INTEGER NOT NULL REFERENCES player,
    white        INTEGER NOT NULL REFERENCES player,
    thread       TEXT    NOT NULL,        -- the id that all mails of the game refer to
    created_at   INTEGER NOT NULL,
    resigned     TEXT    CHECK (resigned IN ('black', 'white')),

    -- Derived from the above and the moves, so that lists need no replay.
    ply          INTEGER NOT NULL DEFAULT 0,
    turn         TEXT    CHECK (turn IN ('black', 'white')),   -- null: finished
    to_move      INTEGER REFERENCES player,                    -- whose turn; null: finished
    to_wait      INTEGER REFERENCES player,                    -- the other; null: finished
    since        INTEGER NOT NULL,        -- when the turn began, or when the game ended
    black_discs  INTEGER NOT NULL DEFAULT 0,
    white_discs  INTEGER NOT NULL DEFAULT 0,
    winner       TEXT    CHECK (winner IN ('black', 'white')),
    reason       TEXT,

    CHECK (black <> white),
    CHECK ((turn IS NULL) = (to_move IS NULL) AND (turn IS NULL) = (to_wait IS NULL)),
    CHECK ((turn IS NULL) = (reason IS NOT NULL))
) STRICT;
INSERT INTO "game" VALUES(1,'othello',8,8,0,0,'auto',NULL,NULL,1,2,'game-1.eota73ppznqn@localhost',1793527200,'white',2,NULL,NULL,NULL,1793786400,3,3,'black','resigned');
INSERT INTO "game" VALUES(2,'mini',4,4,0,0,'auto',NULL,NULL,1,2,'game-2.eota73ppznqn@localhost',1793613600,NULL,13,NULL,NULL,NULL,1794045600,4,12,'white','discs');
INSERT INTO "game" VALUES(3,'twente',4,4,0,0,'explicit',NULL,NULL,1,3,'game-3.eota73ppznqn@localhost',1793613600,NULL,12,'black',1,3,1794218400,2,13,NULL,NULL);
INSERT INTO "game" VALUES(4,'oddthello',NULL,NULL,NULL,NULL,NULL,NULL,NULL,3,2,'game-4.eota73ppznqn@localhost',1793700000,'black',2,NULL,NULL,NULL,1794304800,3,3,'white','resigned');
INSERT INTO "game" VALUES(5,'oddthello',NULL,NULL,NULL,NULL,NULL,NULL,NULL,2,3,'game-5.eota73ppznqn@localhost',1793700000,NULL,1,'white',3,2,1793700000,4,1,NULL,NULL);
INSERT INTO "game" VALUES(6,'othello',6,5,1,0,'auto','(w ----- ----- -bwb- --bw- ----- -----)','a1',1,2,'game-6.eota73ppznqn@localhost',1793786400,NULL,1,'black',1,2,1794391200,2,4,NULL,NULL);
INSERT INTO "game" VALUES(7,'othello',4,6,0,1,'explicit',NULL,NULL,2,1,'game-7.eota73ppznqn@localhost',1793786400,NULL,2,'black',2,1,1793786400,3,3,NULL,NULL);
INSERT INTO "game" VALUES(8,'mini',4,4,0,0,'auto','(w bwww ---- ---- ----)','a1',1,2,'game-8.eota73ppznqn@localhost',1793872800,NULL,0,NULL,NULL,NULL,1793872800,1,3,'white','discs');
INSERT INTO "game" VALUES(9,'oddthello',NULL,NULL,NULL,NULL,NULL,NULL,NULL,3,1,'game-9.eota73ppznqn@localhost',1794477600,NULL,0,'black',3,1,1794477600,2,2,NULL,NULL);
INSERT INTO "game" VALUES(10,'oddthello',NULL,NULL,NULL,NULL,NULL,'(w ------ -wb--- --bw-- ---bw- ------)','A-2',1,2,'game-10.eota73ppznqn@localhost',1793872800,NULL,0,'white',2,1,1793872800,3,3,NULL,NULL);
INSERT INTO "game" VALUES(11,'mini',4,4,0,0,'auto','(b wb-- ---- ---- ----)','a1',1,2,'game-11.eota73ppznqn@localhost',1793872800,NULL,2,NULL,NULL,NULL,1794564000,0,3,'white','discs');
CREATE TABLE held (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    player     INTEGER REFERENCES player,      -- null: somebody who wants to sign up
    address    TEXT    NOT NULL,               -- where the question goes
    commands   TEXT    NOT NULL,               -- a line each
    created_at INTEGER NOT NULL,
    done_at    INTEGER                         -- null: it waits
) STRICT;
CREATE TABLE installation (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    token      TEXT    NOT NULL,          -- stands in every Message-ID of this installation
    created_at INTEGER NOT NULL
, secret BLOB NOT NULL DEFAULT x'') STRICT;
INSERT INTO "installation" VALUES(1,'eota73ppznqn',1793527200,X'9895239331FA00EF7403333AC2E612D506AE5A3C4F6CF84799772AE41F58F450');
CREATE TABLE intake (
    fate    TEXT    NOT NULL PRIMARY KEY,
    mails   INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE move (
    game       INTEGER NOT NULL REFERENCES game,
    ply        INTEGER NOT NULL CHECK (ply > 0),
    move       TEXT    NOT NULL,          -- a label or 'pass'
    auto       INTEGER NOT NULL CHECK (auto IN (0, 1)),
    made_at    INTEGER NOT NULL,
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;
INSERT INTO "move" VALUES(1,1,'f5',0,1793613600);
INSERT INTO "move" VALUES(1,2,'d6',0,1793700000);
INSERT INTO "move" VALUES(2,1,'b1',0,1793613600);
INSERT INTO "move" VALUES(2,2,'a1',0,1793613600);
INSERT INTO "move" VALUES(2,3,'c4',0,1793613600);
INSERT INTO "move" VALUES(2,4,'d4',0,1793613600);
INSERT INTO "move" VALUES(2,5,'d3',0,1793613600);
INSERT INTO "move" VALUES(2,6,'b4',0,1793613600);
INSERT INTO "move" VALUES(2,7,'a4',0,1793613600);
INSERT INTO "move" VALUES(2,8,'c1',0,1793613600);
INSERT INTO "move" VALUES(2,9,'d1',0,1793613600);
INSERT INTO "move" VALUES(2,10,'d2',0,1793872800);
INSERT INTO "move" VALUES(2,11,'pass',1,1793872800);
INSERT INTO "move" VALUES(2,12,'a3',0,1793959200);
INSERT INTO "move" VALUES(2,13,'a2',0,1794045600);
INSERT INTO "move" VALUES(3,1,'b1',0,1793613600);
INSERT INTO "move" VALUES(3,2,'a1',0,1793613600);
INSERT INTO "move" VALUES(3,3,'c4',0,1793613600);
INSERT INTO "move" VALUES(3,4,'d4',0,1793613600);
INSERT INTO "move" VALUES(3,5,'d3',0,1793613600);
INSERT INTO "move" VALUES(3,6,'b4',0,1793613600);
INSERT INTO "move" VALUES(3,7,'a4',0,1793613600);
INSERT INTO "move" VALUES(3,8,'c1',0,1793613600);
INSERT INTO "move" VALUES(3,9,'d1',0,1793613600);
INSERT INTO "move" VALUES(3,10,'d2',0,1793613600);
INSERT INTO "move" VALUES(3,11,'pass',0,1794132000);
INSERT INTO "move" VALUES(3,12,'a3',0,1794218400);
INSERT INTO "move" VALUES(4,1,'C4',0,1793700000);
INSERT INTO "move" VALUES(4,2,'B1',0,1793700000);
INSERT INTO "move" VALUES(5,1,'A4',0,1793700000);
INSERT INTO "move" VALUES(6,1,'a3',0,1794391200);
INSERT INTO "move" VALUES(7,1,'a1',0,1793786400);
INSERT INTO "move" VALUES(7,2,'f4',0,1793786400);
INSERT INTO "move" VALUES(11,1,'pass',1,1793872800);
INSERT INTO "move" VALUES(11,2,'c1',0,1794564000);
CREATE TABLE "outbox" (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT    NOT NULL UNIQUE,
    event       TEXT    NOT NULL,
    player      INTEGER REFERENCES player,
    address     TEXT,                     -- where it goes when that is no player
    game        INTEGER REFERENCES game,
    ply         INTEGER,                  -- the state of the game that it tells of
    said        TEXT,                     -- what it says besides
    held        INTEGER REFERENCES held,  -- what it asks about
    answer      INTEGER NOT NULL DEFAULT 0 CHECK (answer IN (0, 1)),  -- caused by a mail
    answers     TEXT,                     -- the Message-ID of that mail
    state       TEXT    NOT NULL DEFAULT 'queued',
    tries       INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    lease       TEXT,                     -- who is sending it now
    lease_until INTEGER NOT NULL DEFAULT 0,
    sent_to     TEXT,                     -- the address of the last try
    last_error  TEXT,
    bounced_at  INTEGER,                  -- when it came back for good

    CHECK ((player IS NULL) <> (address IS NULL)),
    CHECK ((game IS NULL) = (ply IS NULL))
) STRICT;
INSERT INTO "outbox" VALUES(1,'1.0.started.dftrlo65p3bh.eota73ppznqn@localhost','started',1,NULL,1,0,NULL,NULL,0,NULL,'sent',1,1793527200,1793527200,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(2,'1.0.started.cu4fyhh2ukvc.eota73ppznqn@localhost','started',2,NULL,1,0,NULL,NULL,0,NULL,'sent',1,1793527200,1793527200,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(3,'1.1.turn.yhwpdfzceota.eota73ppznqn@localhost','turn',2,NULL,1,1,NULL,NULL,0,NULL,'sent',1,1793613600,1793613600,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(4,'1.2.turn.yhwpdfzceota.eota73ppznqn@localhost','turn',1,NULL,1,2,NULL,NULL,0,NULL,'sent',1,1793700000,1793700000,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(5,'1.2.over.yhwpdfzceota.eota73ppznqn@localhost','over',1,NULL,1,2,NULL,NULL,0,NULL,'sent',1,1793786400,1793786400,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(6,'1.2.over.73ppznqn52ik.eota73ppznqn@localhost','over',2,NULL,1,2,NULL,NULL,0,NULL,'sent',1,1793786400,1793786400,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(7,'2.9.started.yhwpdfzceota.eota73ppznqn@localhost','started',1,NULL,2,9,NULL,NULL,0,NULL,'sent',1,1793613600,1793613600,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(8,'2.9.started.73ppznqn52ik.eota73ppznqn@localhost','started',2,NULL,2,9,NULL,NULL,0,NULL,'sent',1,1793613600,1793613600,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(9,'2.11.turn.yhwpdfzceota.eota73ppznqn@localhost','turn',2,NULL,2,11,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(10,'2.12.turn.yhwpdfzceota.eota73ppznqn@localhost','turn',1,NULL,2,12,NULL,NULL,0,NULL,'sent',1,1793959200,1793959200,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(11,'2.13.over.yhwpdfzceota.eota73ppznqn@localhost','over',1,NULL,2,13,NULL,NULL,0,NULL,'sent',1,1794045600,1794045600,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(12,'2.13.over.73ppznqn52ik.eota73ppznqn@localhost','over',2,NULL,2,13,NULL,NULL,0,NULL,'sent',1,1794045600,1794045600,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(13,'3.10.started.dfzceota73pp.eota73ppznqn@localhost','started',1,NULL,3,10,NULL,NULL,0,NULL,'sent',1,1793613600,1793613600,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(14,'3.10.started.znqn52ikdftr.eota73ppznqn@localhost','started',3,NULL,3,10,NULL,NULL,0,NULL,'sent',1,1793613600,1793613600,NULL,0,'carol@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(15,'3.11.turn.yhwpdfzceota.eota73ppznqn@localhost','turn',3,NULL,3,11,NULL,NULL,0,NULL,'sent',1,1794132000,1794132000,NULL,0,'carol@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(16,'3.12.turn.yhwpdfzceota.eota73ppznqn@localhost','turn',1,NULL,3,12,NULL,NULL,0,NULL,'sent',1,1794218400,1794218400,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(17,'4.2.started.yhwpdfzceota.eota73ppznqn@localhost','started',3,NULL,4,2,NULL,NULL,0,NULL,'sent',1,1793700000,1793700000,NULL,0,'carol@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(18,'4.2.started.73ppznqn52ik.eota73ppznqn@localhost','started',2,NULL,4,2,NULL,NULL,0,NULL,'sent',1,1793700000,1793700000,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(19,'4.2.over.yhwpdfzceota.eota73ppznqn@localhost','over',3,NULL,4,2,NULL,NULL,0,NULL,'sent',1,1794304800,1794304800,NULL,0,'carol@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(20,'4.2.over.73ppznqn52ik.eota73ppznqn@localhost','over',2,NULL,4,2,NULL,NULL,0,NULL,'sent',1,1794304800,1794304800,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(21,'5.1.started.yhwpdfzceota.eota73ppznqn@localhost','started',2,NULL,5,1,NULL,NULL,0,NULL,'sent',1,1793700000,1793700000,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(22,'5.1.started.73ppznqn52ik.eota73ppznqn@localhost','started',3,NULL,5,1,NULL,NULL,0,NULL,'sent',1,1793700000,1793700000,NULL,0,'carol@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(23,'6.0.started.yhwpdfzceota.eota73ppznqn@localhost','started',1,NULL,6,0,NULL,NULL,0,NULL,'sent',1,1793786400,1793786400,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(24,'6.0.started.73ppznqn52ik.eota73ppznqn@localhost','started',2,NULL,6,0,NULL,NULL,0,NULL,'sent',1,1793786400,1793786400,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(25,'6.1.turn.yhwpdfzceota.eota73ppznqn@localhost','turn',1,NULL,6,1,NULL,NULL,0,NULL,'sent',1,1794391200,1794391200,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(26,'7.2.started.yhwpdfzceota.eota73ppznqn@localhost','started',2,NULL,7,2,NULL,NULL,0,NULL,'sent',1,1793786400,1793786400,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(27,'7.2.started.73ppznqn52ik.eota73ppznqn@localhost','started',1,NULL,7,2,NULL,NULL,0,NULL,'sent',1,1793786400,1793786400,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(28,'8.0.started.yhwpdfzceota.eota73ppznqn@localhost','started',1,NULL,8,0,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(29,'8.0.started.73ppznqn52ik.eota73ppznqn@localhost','started',2,NULL,8,0,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(30,'8.0.over.dftrlo65p3bh.eota73ppznqn@localhost','over',1,NULL,8,0,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(31,'8.0.over.cu4fyhh2ukvc.eota73ppznqn@localhost','over',2,NULL,8,0,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(32,'9.0.started.yhwpdfzceota.eota73ppznqn@localhost','started',3,NULL,9,0,NULL,NULL,0,NULL,'sent',1,1794477600,1794477600,NULL,0,'carol@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(33,'9.0.started.73ppznqn52ik.eota73ppznqn@localhost','started',1,NULL,9,0,NULL,NULL,0,NULL,'sent',1,1794477600,1794477600,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(34,'10.0.started.yhwpdfzceota.eota73ppznqn@localhost','started',1,NULL,10,0,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(35,'10.0.started.73ppznqn52ik.eota73ppznqn@localhost','started',2,NULL,10,0,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(36,'11.1.started.yhwpdfzceota.eota73ppznqn@localhost','started',1,NULL,11,1,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(37,'11.1.started.73ppznqn52ik.eota73ppznqn@localhost','started',2,NULL,11,1,NULL,NULL,0,NULL,'sent',1,1793872800,1793872800,NULL,0,'bob@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(38,'11.2.over.yhwpdfzceota.eota73ppznqn@localhost','over',1,NULL,11,2,NULL,NULL,0,NULL,'sent',1,1794564000,1794564000,NULL,0,'alice@example.org',NULL,NULL);
INSERT INTO "outbox" VALUES(39,'11.2.over.73ppznqn52ik.eota73ppznqn@localhost','over',2,NULL,11,2,NULL,NULL,0,NULL,'sent',1,1794564000,1794564000,NULL,0,'bob@example.org',NULL,NULL);
CREATE TABLE player (
    id         INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    address    TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    created_at INTEGER NOT NULL
, secret BLOB NOT NULL DEFAULT x'', receipt INTEGER NOT NULL DEFAULT 0 CHECK (receipt IN (0, 1)), bounces INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "player" VALUES(1,'alice','alice@example.org',1793527200,X'91727E708E59FCC5208C1E454BD7F4387361216758E1E1B791FDA4A803222B7B',1,0);
INSERT INTO "player" VALUES(2,'bob','bob@example.org',1793527200,X'2CBDCBF908ACD11D09E5DF38AE9F602A5D563103783BA8CAE898068DBF6AB117',0,0);
INSERT INTO "player" VALUES(3,'carol','carol@example.org',1793613600,X'91727E708E59FCC5208C1E454BD7F4387361216758E1E1B791FDA4A803222B7B',0,0);
CREATE TABLE seen (
    digest  BLOB    NOT NULL PRIMARY KEY,
    sender  TEXT    NOT NULL COLLATE NOCASE,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE unsubscribed (
    game   INTEGER NOT NULL REFERENCES game,
    player INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
INSERT INTO "unsubscribed" VALUES(3,1);
CREATE INDEX game_active   ON game (since, id)          WHERE turn IS NOT NULL;
CREATE INDEX game_to_move  ON game (to_move, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_to_wait  ON game (to_wait, since, id) WHERE turn IS NOT NULL;
CREATE INDEX game_finished ON game (since, id)          WHERE turn IS NULL;
CREATE INDEX game_black    ON game (black, since);
CREATE INDEX game_white    ON game (white, since);
CREATE INDEX seen_sender ON seen (sender, seen_at);
CREATE INDEX seen_time   ON seen (seen_at);
CREATE INDEX outbox_due    ON outbox (due_at, id)     WHERE state = 'queued';
CREATE INDEX outbox_paused ON outbox (player)         WHERE state = 'paused';
CREATE INDEX outbox_kept   ON outbox (state, id);
CREATE INDEX outbox_game   ON outbox (game, player);
CREATE INDEX outbox_answer ON outbox (created_at)     WHERE answer;
CREATE INDEX outbox_held   ON outbox (held)           WHERE held IS NOT NULL;
CREATE INDEX outbox_back   ON outbox (player)         WHERE bounced_at IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('outbox',39);
INSERT INTO "sqlite_sequence" VALUES('game',11);
COMMIT;
