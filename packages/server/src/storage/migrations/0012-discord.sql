-- The format of the requests to the interactions endpoint: `native` or `discord` (discord/endpoint).
ALTER TABLE applications ADD COLUMN interactions_endpoint_format TEXT NOT NULL DEFAULT 'native';

-- Now also with that format.
DROP VIEW valid_applications;
CREATE VIEW valid_applications AS
SELECT id, owner_id, name, description, icon_hash, type, secret_hash, redirect_uris, allow_loopback_port,
  post_logout_redirect_uris, backchannel_logout_uri, interactions_endpoint_url, interactions_endpoint_format,
  privileged_intents, public_key, private_key_sealed, bot_user_id, bot_token_hash, public_bot, bound_server_id,
  server_binding, email_required, default_scopes, added_scopes, refresh_grace, created_at
FROM applications
WHERE deleted_at IS NULL AND disabled_at IS NULL
  AND (SELECT o.disabled_at FROM users o WHERE o.id = applications.owner_id) IS NULL;
