-- What the last set of commands in the format of Discord's API had for files (discord/unsupported-options), as JSON;
-- null for nothing. Of the global set, and of the set of a server.
ALTER TABLE applications ADD COLUMN not_registered TEXT;
ALTER TABLE integrations ADD COLUMN not_registered TEXT;
CREATE INDEX integrations_not_registered ON integrations (application_id, server_id) WHERE not_registered IS NOT NULL;
