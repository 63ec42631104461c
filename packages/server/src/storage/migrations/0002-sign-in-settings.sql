-- The server that an application is bound to (sign-in/server-binding). No foreign key: if the server is deleted, an
-- application for its members must accept nobody.
ALTER TABLE applications ADD COLUMN bound_server_id TEXT;
-- JSON: {membersOnly, requiredRoles, groups, groupsClaim}; null without a server.
ALTER TABLE applications ADD COLUMN server_binding TEXT;
CREATE INDEX applications_by_bound_server ON applications (bound_server_id) WHERE bound_server_id IS NOT NULL;

ALTER TABLE applications ADD COLUMN email_required SMALLINT NOT NULL DEFAULT 0;
-- JSON lists of names (sign-in/default-scopes, sign-in/added-scopes).
ALTER TABLE applications ADD COLUMN default_scopes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE applications ADD COLUMN added_scopes TEXT NOT NULL DEFAULT '[]';
-- Whether a used refresh token gets the same response again for 10 seconds (sign-in/refresh-grace).
ALTER TABLE applications ADD COLUMN refresh_grace SMALLINT NOT NULL DEFAULT 0;
