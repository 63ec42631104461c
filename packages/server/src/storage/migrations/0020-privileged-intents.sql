-- The privileged intents that the bot of the application may use: a JSON array of names (gateway/privileged-intents).
ALTER TABLE applications ADD COLUMN privileged_intents TEXT NOT NULL DEFAULT '[]';
