-- With email_required: whether a user verifies the email address first (sign-in/email-verified-only).
ALTER TABLE applications ADD COLUMN email_verified_only SMALLINT NOT NULL DEFAULT 0;

-- Now also with that column.
DROP VIEW valid_applications;
CREATE VIEW valid_applications AS
SELECT id, owner_id, name, description, icon_hash, type, secret_hash, redirect_uris, allow_loopback_port,
  post_logout_redirect_uris, backchannel_logout_uri, interactions_endpoint_url, interactions_endpoint_format,
  privileged_intents, public_key, private_key_sealed, bot_user_id, bot_token_hash, public_bot, bound_server_id,
  server_binding, email_required, email_verified_only, default_scopes, added_scopes, refresh_grace, created_at
FROM applications
WHERE deleted_at IS NULL AND disabled_at IS NULL
  AND (SELECT o.disabled_at FROM users o WHERE o.id = applications.owner_id) IS NULL;
