-- What players have set, in the words of the command `set`.

ALTER TABLE player ADD COLUMN clock     TEXT NOT NULL DEFAULT 'UTC sat,sun none';
ALTER TABLE player ADD COLUMN mail_mode TEXT NOT NULL DEFAULT 'each';
ALTER TABLE player ADD COLUMN style     TEXT NOT NULL DEFAULT 'figure';
ALTER TABLE player ADD COLUMN grace     TEXT NOT NULL DEFAULT 'off';
