-- The handover of the club to another machine: while there is a row, the database is only read.
CREATE TABLE handover (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    name    TEXT    NOT NULL,                 -- of the other machine
    is_copy INTEGER NOT NULL CHECK (is_copy IN (0, 1)) -- whether this is the database for it
) STRICT;
