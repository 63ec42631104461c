-- Whether others than the owner may add the bot to servers. Existing bots keep what was possible before (sign-in/public-bots).
ALTER TABLE applications ADD COLUMN public_bot SMALLINT NOT NULL DEFAULT 1;
