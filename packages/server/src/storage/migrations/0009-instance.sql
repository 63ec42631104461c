-- What administrators have set. At most one row, with the id 1. The default applies without it, and for null.
CREATE TABLE instance_settings (
  id SMALLINT PRIMARY KEY,
  registration TEXT,
  server_creation TEXT,
  name TEXT,
  -- The hash of the image.
  logo TEXT,
  -- Until the first registration (administration/first-administrator).
  administrator_code_hash TEXT
);

-- Set while an administrator has disabled the application (administration/disable-application). A disabled server has a
-- negative `deleted_at`: no read finds it, and no sweep deletes it, also that of an earlier version.
ALTER TABLE applications ADD COLUMN disabled_at BIGINT;

-- Now also without disabled applications.
DROP VIEW valid_applications;
CREATE VIEW valid_applications AS
SELECT id, owner_id, name, description, icon_hash, type, secret_hash, redirect_uris, allow_loopback_port,
  post_logout_redirect_uris, backchannel_logout_uri, interactions_endpoint_url, privileged_intents, public_key,
  private_key_sealed, bot_user_id, bot_token_hash, public_bot, bound_server_id, server_binding, email_required,
  default_scopes, added_scopes, refresh_grace, created_at
FROM applications
WHERE deleted_at IS NULL AND disabled_at IS NULL
  AND (SELECT o.disabled_at FROM users o WHERE o.id = applications.owner_id) IS NULL;

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
  SELECT COALESCE(a.disabled_at, o.disabled_at) FROM applications a JOIN users o ON o.id = a.owner_id
  WHERE a.id = oauth_grants.application_id
) IS NULL;
