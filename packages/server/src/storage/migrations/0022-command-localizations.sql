-- The names and descriptions of commands in other languages, as JSON. Those of options are in `options`.
ALTER TABLE commands ADD COLUMN localizations TEXT NOT NULL DEFAULT '{}';
