-- Set while the user is disabled (administration/disable). Nothing is deleted: the views below leave out what is not
-- valid then, so that it is back when the user is enabled.
ALTER TABLE users ADD COLUMN disabled_at BIGINT;
ALTER TABLE users ADD COLUMN administrator SMALLINT NOT NULL DEFAULT 0;
CREATE INDEX users_administrators ON users (id) WHERE administrator = 1;

-- The sessions of users who are not disabled. The subquery reads one user by its key: with a join, PostgreSQL may read
-- all.
CREATE VIEW valid_sessions AS
SELECT id, user_id, secret_hash, created_at, last_used_at, expires_at, auth_time, amr, ip, user_agent
FROM sessions
WHERE (SELECT u.disabled_at FROM users u WHERE u.id = sessions.user_id) IS NULL;

-- The applications that are not deleted, and whose owner is not disabled.
CREATE VIEW valid_applications AS
SELECT id, owner_id, name, description, icon_hash, type, secret_hash, redirect_uris, allow_loopback_port,
  post_logout_redirect_uris, backchannel_logout_uri, interactions_endpoint_url, privileged_intents, public_key,
  private_key_sealed, bot_user_id, bot_token_hash, public_bot, bound_server_id, server_binding, email_required,
  default_scopes, added_scopes, refresh_grace, created_at
FROM applications
WHERE deleted_at IS NULL AND (SELECT o.disabled_at FROM users o WHERE o.id = applications.owner_id) IS NULL;

-- Now also without the grants of disabled users, and of applications whose owner is disabled.
DROP VIEW valid_grants;
CREATE VIEW valid_grants AS
SELECT id, application_id, user_id, code_hash, scope, redirect_uri, redirect_uri_sent, code_challenge, nonce, auth_time,
  amr, session_id, sid, access_hash, access_scope, access_expires_at, refresh_hash, issued_at, expires_at, refreshes
FROM oauth_grants
WHERE NOT EXISTS (
  SELECT 1 FROM grant_revocations r
  WHERE r.user_id IN (oauth_grants.user_id, '') AND r.application_id IN (oauth_grants.application_id, '')
    AND r.id > oauth_grants.revocation
) AND (SELECT u.disabled_at FROM users u WHERE u.id = oauth_grants.user_id) IS NULL
AND (
  SELECT o.disabled_at FROM applications a JOIN users o ON o.id = a.owner_id WHERE a.id = oauth_grants.application_id
) IS NULL;
