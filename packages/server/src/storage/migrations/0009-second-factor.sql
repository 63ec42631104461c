-- Passkeys (WebAuthn): only public keys stand here.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- base64url, as the authenticator chose it.
  credential_id TEXT NOT NULL UNIQUE,
  -- COSE.
  public_key BYTEA NOT NULL,
  counter BIGINT NOT NULL,
  -- JSON list of how the authenticator can be reached.
  transports TEXT NOT NULL,
  -- 1 where the key is copied between the devices of its owner.
  synced SMALLINT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE INDEX passkeys_of_user ON passkeys (user_id, id);

-- One authenticator app for each person; not in force before it has shown a first code.
CREATE TABLE authenticator_apps (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret_sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  confirmed_at BIGINT,
  -- Of the last code that was used: it and those before it open nothing any more (RFC 6238 §5.2).
  last_step BIGINT NOT NULL
);
CREATE INDEX authenticator_apps_unconfirmed ON authenticator_apps (created_at) WHERE confirmed_at IS NULL;

-- Using one deletes it.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- HMAC under SECRET_KEY.
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
);

-- Sign-ins that wait for their second factor. Finishing one deletes it.
CREATE TABLE half_sign_ins (
  ticket_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Of the browser's own cookie: the ticket opens nothing elsewhere.
  browser_hash TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX half_sign_ins_of_user ON half_sign_ins (user_id);
CREATE INDEX half_sign_ins_by_expiry ON half_sign_ins (expires_at);

-- Challenges for passkeys carry their own proof of where they come from; those that were used stand here until they expire.
CREATE TABLE used_challenges (
  hash TEXT PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX used_challenges_by_expiry ON used_challenges (expires_at);

-- How the person proved who they are (JSON list of methods of RFC 8176), for the id_token.
ALTER TABLE oauth_codes ADD COLUMN amr TEXT NOT NULL DEFAULT '["pwd"]';
ALTER TABLE oauth_grants ADD COLUMN amr TEXT NOT NULL DEFAULT '["pwd"]';
