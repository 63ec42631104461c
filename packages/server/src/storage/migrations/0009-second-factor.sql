-- Passkeys (WebAuthn). Only public keys are stored.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The credential ID in base64url.
  credential_id TEXT NOT NULL UNIQUE,
  -- COSE key.
  public_key BYTEA NOT NULL,
  counter BIGINT NOT NULL,
  -- JSON list of authenticator transports.
  transports TEXT NOT NULL,
  -- 1 if the credential is backed up to other devices of the user.
  synced SMALLINT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE INDEX passkeys_of_user ON passkeys (user_id, id);

-- One TOTP authenticator for each user. It is not active before its first code was confirmed.
CREATE TABLE authenticator_apps (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret_sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  confirmed_at BIGINT,
  -- The time step of the last used code: it and earlier ones are no longer accepted (RFC 6238 §5.2).
  last_step BIGINT NOT NULL
);
CREATE INDEX authenticator_apps_unconfirmed ON authenticator_apps (created_at) WHERE confirmed_at IS NULL;

-- Recovery codes. Using one deletes it.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- HMAC with SECRET_KEY.
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
);

-- Sign-ins that wait for their second factor. Completing one deletes it.
CREATE TABLE half_sign_ins (
  ticket_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The hash of the browser's cookie: the ticket is valid only in that browser.
  browser_hash TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX half_sign_ins_of_user ON half_sign_ins (user_id);
CREATE INDEX half_sign_ins_by_expiry ON half_sign_ins (expires_at);

-- Passkey challenges are self-contained and authenticated. Used ones are stored here until they expire.
CREATE TABLE used_challenges (
  hash TEXT PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX used_challenges_by_expiry ON used_challenges (expires_at);

-- How the user authenticated (JSON list of RFC 8176 methods), for the ID token.
ALTER TABLE oauth_codes ADD COLUMN amr TEXT NOT NULL DEFAULT '["pwd"]';
ALTER TABLE oauth_grants ADD COLUMN amr TEXT NOT NULL DEFAULT '["pwd"]';
