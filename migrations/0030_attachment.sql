-- The files that unsent answers bring.
CREATE TABLE attachment (
    mail       INTEGER NOT NULL REFERENCES outbox ON DELETE CASCADE,
    number     INTEGER NOT NULL,              -- the place in the mail, from 1
    name       TEXT    NOT NULL,              -- of the file
    media_type TEXT    NOT NULL,              -- RFC 2046
    content    TEXT    NOT NULL,
    PRIMARY KEY (mail, number)
) STRICT, WITHOUT ROWID;
