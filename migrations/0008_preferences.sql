-- What players have set, in the words of the command `set`.

ALTER TABLE player ADD COLUMN clock     TEXT NOT NULL DEFAULT 'UTC sat,sun none';
ALTER TABLE player ADD COLUMN mail_mode TEXT NOT NULL DEFAULT 'each';
ALTER TABLE player ADD COLUMN style     TEXT NOT NULL DEFAULT 'figure';
ALTER TABLE player ADD COLUMN grace     TEXT NOT NULL DEFAULT 'off';

-- Whether a turn mail becomes part of the digest that is due when it is.
ALTER TABLE outbox ADD COLUMN for_digest INTEGER NOT NULL DEFAULT 0 CHECK (for_digest IN (0, 1));

CREATE INDEX outbox_digest ON outbox (due_at, player) WHERE state = 'queued' AND for_digest;
