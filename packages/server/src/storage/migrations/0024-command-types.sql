-- slash, user or message: the names are unique for each type.
ALTER TABLE commands ADD COLUMN type TEXT NOT NULL DEFAULT 'slash';
DROP INDEX commands_by_name;
CREATE UNIQUE INDEX commands_by_name ON commands (application_id, server_id, type, name);
