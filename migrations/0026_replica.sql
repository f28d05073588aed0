-- The replica of the database, which Litestream makes. At most one row.
CREATE TABLE replica (
    id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    settings TEXT    NOT NULL                 -- the path of Litestream's settings
) STRICT;
