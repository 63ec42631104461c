-- The invites of a server are listed by creation time.
CREATE INDEX invites_by_time ON invites (server_id, created_at, code);
DROP INDEX invites_of_server;
