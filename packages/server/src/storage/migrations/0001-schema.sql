-- Times are in milliseconds. `*_sealed` is encrypted with SECRET_KEY. With a `deleted_at`, every read ignores the row.
-- The sweep deletes in batches what belongs to it, and then the row (limits/deletion).

-- Leases of snowflake node numbers.
CREATE TABLE nodes (
  id BIGINT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);

-- One row: a value that only the SECRET_KEY of this service can decrypt. A node with another key does not start.
CREATE TABLE secret_key_check (
  id BIGINT PRIMARY KEY,
  sealed TEXT NOT NULL
);

-- Users, including bots. A bot has neither an email address nor a password.
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  -- As entered, and the normalized form that is unique regardless of case.
  email TEXT,
  email_key TEXT UNIQUE,
  email_verified SMALLINT NOT NULL DEFAULT 0,
  -- Argon2id hash as a PHC string.
  password_hash TEXT,
  -- The hash of the avatar in images; null for the generated one.
  avatar TEXT,
  bot SMALLINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  -- Set for a deleted bot. The row stays, because its messages reference their author.
  deleted_at BIGINT
);

-- Usernames that users gave up, which only they can take again until `expires_at` (community/former-usernames).
CREATE TABLE former_usernames (
  username TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX former_usernames_of_user ON former_usernames (user_id, expires_at);
CREATE INDEX former_usernames_by_expiry ON former_usernames (expires_at);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- When and how the user last authenticated (JSON list of RFC 8176 methods).
  auth_time BIGINT NOT NULL,
  amr TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id, created_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Tokens of links in emails. Using a token deletes it.
CREATE TABLE mail_tokens (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- verify, change or reset
  purpose TEXT NOT NULL,
  -- The email address that the token was sent to.
  email_key TEXT NOT NULL,
  -- With the purpose change: what replaces the email address of the user, as entered.
  new_email TEXT,
  expires_at BIGINT NOT NULL
);
CREATE INDEX mail_tokens_of_user ON mail_tokens (user_id);
CREATE INDEX mail_tokens_by_expiry ON mail_tokens (expires_at);

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
  -- The session in which the user set up the authenticator app, and only in which it can be confirmed
  -- (sign-in/totp-confirmation).
  session_id TEXT NOT NULL,
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

-- Logins that wait for their second factor. Completing one deletes it.
CREATE TABLE mfa_tickets (
  ticket_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The hash of the browser's cookie: the ticket is valid only in that browser.
  browser_hash TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX mfa_tickets_of_user ON mfa_tickets (user_id);
CREATE INDEX mfa_tickets_by_expiry ON mfa_tickets (expires_at);

-- Passkey challenges are self-contained and authenticated. Used ones are stored here until they expire.
CREATE TABLE used_challenges (
  hash TEXT PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX used_challenges_by_expiry ON used_challenges (expires_at);

-- One image for each owner. Its URL contains the hash, so that clients can cache it forever.
CREATE TABLE images (
  -- users, servers, applications or webhooks
  kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  -- The user who uploaded the image, whose images together have a limit (limits/caps).
  uploader_id TEXT NOT NULL REFERENCES users (id),
  hash TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (kind, owner_id)
);
CREATE INDEX images_by_uploader ON images (uploader_id);

CREATE TABLE servers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- The hash of the icon in images, or null.
  icon TEXT,
  owner_id TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX servers_by_owner ON servers (owner_id);
CREATE INDEX servers_deleted ON servers (deleted_at) WHERE deleted_at IS NOT NULL;

-- @everyone is the role whose id is the server's (community/everyone-role).
CREATE TABLE roles (
  id TEXT PRIMARY KEY,
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  permissions TEXT NOT NULL,
  color BIGINT NOT NULL,
  position BIGINT NOT NULL,
  -- The bot whose managed role it is (sign-in/bot-installation, community/permission-hierarchy).
  bot_id TEXT REFERENCES users (id),
  deleted_at BIGINT
);
CREATE INDEX roles_of_server ON roles (server_id, position, id);
CREATE UNIQUE INDEX roles_of_bot ON roles (bot_id, server_id) WHERE bot_id IS NOT NULL;
CREATE INDEX roles_deleted ON roles (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE members (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  nick TEXT,
  joined_at BIGINT NOT NULL,
  -- An id created when the user joined: earlier messages count as read.
  read_to TEXT NOT NULL DEFAULT '0',
  PRIMARY KEY (server_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id, server_id);

CREATE TABLE member_roles (
  server_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  PRIMARY KEY (server_id, user_id, role_id),
  FOREIGN KEY (server_id, user_id) REFERENCES members (server_id, user_id) ON DELETE CASCADE
);
CREATE INDEX member_roles_by_role ON member_roles (role_id);

-- A banned user is not a member and cannot join the server (community/bans).
CREATE TABLE bans (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  reason TEXT,
  PRIMARY KEY (server_id, user_id)
);
CREATE INDEX bans_by_user ON bans (user_id);

-- Time-outs (community/timeouts). Not a column of members, because a time-out remains if the member leaves and joins
-- again.
CREATE TABLE timeouts (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  timed_out_until BIGINT NOT NULL,
  PRIMARY KEY (server_id, user_id)
);
CREATE INDEX timeouts_by_user ON timeouts (user_id);
CREATE INDEX timeouts_by_end ON timeouts (server_id, timed_out_until);

CREATE TABLE invites (
  code TEXT PRIMARY KEY,
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  creator_id TEXT NOT NULL REFERENCES users (id),
  -- Null for an unlimited number of uses.
  max_uses BIGINT,
  uses BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
-- The invites of a server are listed by creation time.
CREATE INDEX invites_by_time ON invites (server_id, created_at, code);
CREATE INDEX invites_by_expiry ON invites (expires_at);

-- server_id, name and topic are null for a direct message (bots/interaction-payload).
CREATE TABLE channels (
  id TEXT PRIMARY KEY,
  server_id TEXT REFERENCES servers (id) ON DELETE CASCADE,
  -- text or dm
  type TEXT NOT NULL,
  name TEXT,
  topic TEXT,
  position BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX channels_of_server ON channels (server_id, position, id);
CREATE INDEX channels_deleted ON channels (deleted_at) WHERE deleted_at IS NOT NULL;

-- Two rows for a direct message, one for each member. The key allows only one channel for each pair.
CREATE TABLE dm_members (
  user_id TEXT NOT NULL REFERENCES users (id),
  recipient_id TEXT NOT NULL REFERENCES users (id),
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, recipient_id)
);
CREATE UNIQUE INDEX dm_members_by_channel ON dm_members (channel_id, user_id);
CREATE INDEX dm_members_by_user ON dm_members (user_id, channel_id);

-- The permission overwrites of channels.
CREATE TABLE overwrites (
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  -- A role's or a member's id. What it denies stays when a member leaves, and applies again if the member returns.
  target_id TEXT NOT NULL,
  -- role or member
  type TEXT NOT NULL,
  allow TEXT NOT NULL,
  deny TEXT NOT NULL,
  PRIMARY KEY (channel_id, target_id)
);
CREATE INDEX overwrites_by_target ON overwrites (target_id);

-- Names and avatars of users and bots are read from users. Those of a webhook are stored here
-- (webhooks/message-object).
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  server_id TEXT,
  -- A user's or a webhook's id.
  author_id TEXT NOT NULL,
  webhook_id TEXT,
  webhook_name TEXT,
  webhook_avatar TEXT,
  application_id TEXT,
  interaction_id TEXT,
  -- JSON: {id, type, name, userId}.
  interaction TEXT,
  content TEXT NOT NULL,
  -- JSON lists.
  embeds TEXT NOT NULL,
  components TEXT NOT NULL,
  -- JSON: {users, roles, everyone} with ids; '' for no mentions.
  mentions TEXT NOT NULL,
  -- sent or deferred
  state TEXT NOT NULL,
  nonce TEXT,
  created_at BIGINT NOT NULL,
  edited_at BIGINT
);
CREATE INDEX messages_of_channel ON messages (channel_id, id);
CREATE UNIQUE INDEX messages_by_nonce ON messages (author_id, channel_id, nonce) WHERE nonce IS NOT NULL;

-- The mentions of server messages, for unread counts. The mentions that a message shows are stored with it.
CREATE TABLE mentions (
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL,
  -- A user's or a role's id, or the server's id for everyone (community/everyone-role).
  target_id TEXT NOT NULL,
  PRIMARY KEY (message_id, target_id)
);
CREATE INDEX mentions_by_target ON mentions (channel_id, target_id, message_id);

-- The last message that a user has read in a channel, if it is after the start of the membership.
CREATE TABLE read_marks (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  last_read_id TEXT NOT NULL,
  PRIMARY KEY (user_id, channel_id)
);
CREATE INDEX read_marks_of_channel ON read_marks (channel_id);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  -- webhooks/lifetime: deleted with its channel, not with the membership of its creator.
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  server_id TEXT NOT NULL,
  -- 0 to 14, unique in a channel: the index limits a channel to 15 webhooks.
  slot BIGINT NOT NULL,
  name TEXT NOT NULL,
  avatar TEXT,
  token_hash TEXT NOT NULL,
  -- So that the channel settings can show the URL again (community/secrets).
  token_sealed TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE UNIQUE INDEX webhooks_by_slot ON webhooks (channel_id, slot);

-- The log of recent deliveries.
CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  at BIGINT NOT NULL,
  -- message, slack or github
  route TEXT NOT NULL,
  status BIGINT NOT NULL,
  message_id TEXT,
  -- For a rejected delivery: the reason, the invalid field and the start of the body.
  reason TEXT,
  field TEXT,
  body TEXT,
  PRIMARY KEY (webhook_id, id)
);

CREATE TABLE applications (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  icon_hash TEXT,
  -- confidential or public (RFC 6749 §2.1)
  type TEXT NOT NULL,
  secret_hash TEXT,
  -- JSON lists of redirect URIs and post-logout redirect URIs, and the back-channel logout URI.
  redirect_uris TEXT NOT NULL,
  allow_loopback_port SMALLINT NOT NULL,
  post_logout_redirect_uris TEXT NOT NULL,
  backchannel_logout_uri TEXT,
  interactions_endpoint_url TEXT,
  -- The key pair that signs requests to the interactions endpoint.
  public_key TEXT NOT NULL,
  private_key_sealed TEXT NOT NULL,
  bot_user_id TEXT REFERENCES users (id),
  bot_token_hash TEXT,
  -- Whether others than the owner may add the bot to servers (sign-in/public-bots).
  public_bot SMALLINT NOT NULL,
  -- The privileged intents that the bot may use: a JSON list of names (gateway/privileged-intents).
  privileged_intents TEXT NOT NULL,
  -- Incremented when a set of commands is replaced: its row lock serializes concurrent replacements.
  commands_version BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX applications_by_owner ON applications (owner_id, id);
CREATE UNIQUE INDEX applications_by_bot_token ON applications (bot_token_hash);
CREATE UNIQUE INDEX applications_by_bot_user ON applications (bot_user_id);
CREATE INDEX applications_deleted ON applications (deleted_at) WHERE deleted_at IS NOT NULL;

-- An application's bot, commands or both on a server (sign-in/bot-installation, sign-in/commands-scope).
CREATE TABLE integrations (
  server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  scopes TEXT NOT NULL,
  permissions TEXT NOT NULL,
  role_id TEXT,
  added_by TEXT NOT NULL,
  added_at BIGINT NOT NULL,
  PRIMARY KEY (server_id, application_id)
);
CREATE INDEX integrations_by_application ON integrations (application_id, server_id);

-- server_id is '' for the global set, because a column of the unique key must not be null.
CREATE TABLE commands (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  server_id TEXT NOT NULL,
  -- slash, user or message: the names are unique for each type.
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  -- The names and descriptions in other languages, as JSON. Those of options are in `options`.
  localizations TEXT NOT NULL,
  options TEXT NOT NULL,
  -- A decimal bit field; null if no permission is needed (bots/default-permissions).
  default_member_permissions TEXT,
  position BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE UNIQUE INDEX commands_by_name ON commands (application_id, server_id, type, name);
CREATE INDEX commands_by_server ON commands (server_id, application_id);
CREATE INDEX commands_deleted ON commands (deleted_at) WHERE deleted_at IS NOT NULL;

-- Who may use a command on a server, and where (bots/command-overrides). An override of a role has role_id, one of a
-- member user_id, one of a channel channel_id, and one of all channels none of these. The foreign keys delete it with
-- what it is about.
CREATE TABLE command_overrides (
  server_id TEXT NOT NULL,
  command_id TEXT NOT NULL REFERENCES commands (id) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  application_id TEXT NOT NULL,
  role_id TEXT REFERENCES roles (id) ON DELETE CASCADE,
  user_id TEXT,
  channel_id TEXT REFERENCES channels (id) ON DELETE CASCADE,
  allow SMALLINT NOT NULL,
  PRIMARY KEY (server_id, command_id, position),
  FOREIGN KEY (server_id, application_id) REFERENCES integrations (server_id, application_id) ON DELETE CASCADE,
  FOREIGN KEY (server_id, user_id) REFERENCES members (server_id, user_id) ON DELETE CASCADE
);
CREATE INDEX command_overrides_by_command ON command_overrides (command_id);
CREATE INDEX command_overrides_by_application ON command_overrides (server_id, application_id);
CREATE INDEX command_overrides_by_role ON command_overrides (role_id);
CREATE INDEX command_overrides_by_user ON command_overrides (server_id, user_id);
CREATE INDEX command_overrides_by_channel ON command_overrides (channel_id);

-- The overrides of commands, roles and channels that are not deleted. Null is not in a list, so COALESCE.
CREATE VIEW valid_command_overrides AS
SELECT server_id, command_id, position, application_id, role_id, user_id, channel_id, allow
FROM command_overrides
WHERE command_id NOT IN (SELECT c.id FROM commands c WHERE c.deleted_at >= 0)
  AND COALESCE(role_id, '') NOT IN (SELECT r.id FROM roles r WHERE r.deleted_at >= 0)
  AND COALESCE(channel_id, '') NOT IN (SELECT h.id FROM channels h WHERE h.deleted_at >= 0);

-- Uses of commands, components and modals. Of an ephemeral message only the id is stored (bots/ephemeral).
CREATE TABLE interactions (
  id TEXT PRIMARY KEY,
  -- '' after the token has become invalid (bots/bot-removed).
  token_hash TEXT NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  -- Not a foreign key: the developer's log outlives the channel.
  channel_id TEXT NOT NULL,
  -- Null in a direct message (bots/interaction-payload).
  server_id TEXT,
  user_id TEXT NOT NULL,
  -- command, component or modal_submit
  type TEXT NOT NULL,
  -- The command's name, or the customId of the component or modal.
  name TEXT NOT NULL,
  nonce TEXT,
  -- The message with the component, or of a submitted modal, the message whose component opened it.
  source_message_id TEXT,
  source_message_ephemeral SMALLINT NOT NULL,
  -- JSON: the dispatched event without its token.
  event TEXT NOT NULL,
  -- gateway, endpoint, console or none
  delivery TEXT NOT NULL,
  -- pending, answered, deferred, timed_out or failed. A passed deadline counts by the clock before it is written here
  -- (bots/interaction-states).
  state TEXT NOT NULL,
  -- offline, unreachable, endpoint_failed, no_answer, no_follow_up or removed: the server makes the text from it.
  reason_code TEXT,
  -- Only with endpoint_failed: a sentence that says what the endpoint did.
  reason_detail TEXT,
  -- The type of the callback, also if it was too late.
  response TEXT,
  responded_at BIGINT,
  -- The message that the first response created or changed.
  original_id TEXT,
  original_ephemeral SMALLINT NOT NULL,
  -- JSON: the modal with which the bot responded (bots/modals).
  modal TEXT,
  -- Of a submitted modal: the interaction whose response opened it. A modal is submitted once (bots/modal-submit).
  opened_by TEXT,
  created_at BIGINT NOT NULL,
  deadline_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX interactions_by_application ON interactions (application_id, id);
CREATE UNIQUE INDEX interactions_by_nonce ON interactions (user_id, channel_id, nonce) WHERE nonce IS NOT NULL;
CREATE UNIQUE INDEX interactions_by_modal ON interactions (opened_by) WHERE opened_by IS NOT NULL;
CREATE INDEX interactions_pending ON interactions (deadline_at) WHERE state = 'pending';
CREATE INDEX interactions_deferred ON interactions (expires_at) WHERE state = 'deferred';

-- All earlier grants of a user, of an application, or of both are revoked: '' stands for all users or all
-- applications. A sweep deletes the grants in batches, and then the row.
CREATE TABLE grant_revocations (
  user_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  -- Increases with each revocation.
  id TEXT NOT NULL,
  -- The last revocation that is about the consents of the user too; '' for none.
  consents_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (user_id, application_id)
);

-- The scopes that a user granted to an application (sign-in/consent-remembered).
CREATE TABLE oauth_consents (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  -- The canonical name of the scope, not an alias.
  scope TEXT NOT NULL,
  granted_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  -- The last revocation before the consent; '' without one.
  revocation TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (user_id, application_id, scope)
);
CREATE INDEX oauth_consents_of_application ON oauth_consents (application_id);

-- The consents that are not revoked.
CREATE VIEW valid_consents AS
SELECT user_id, application_id, scope, granted_at, last_used_at
FROM oauth_consents
WHERE NOT EXISTS (
  SELECT 1 FROM grant_revocations r
  WHERE r.user_id = oauth_consents.user_id AND r.application_id = '' AND r.consents_id > oauth_consents.revocation
);

-- A grant is one row from its authorization code on: the exchange sets the columns of the tokens
-- (docs/decisions/tokens.md).
CREATE TABLE oauth_grants (
  -- The id in the code and in all tokens of the family.
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Space-separated, all granted scopes; an access token may have fewer.
  scope TEXT NOT NULL,
  auth_time BIGINT NOT NULL,
  -- How the user authenticated (JSON list of RFC 8176 methods), for the ID token.
  amr TEXT NOT NULL,
  -- The session of the sign-in, which may have ended.
  sid TEXT NOT NULL,
  -- The code. Its reuse revokes the family.
  code_hash TEXT NOT NULL,
  -- Set until the code is exchanged, then null. The code is deleted with the session.
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  redirect_uri TEXT,
  -- 0 if the authorization request had no redirect_uri (sign-in/code-redirect-uri).
  redirect_uri_sent SMALLINT,
  -- BASE64URL of SHA-256; null without PKCE.
  code_challenge TEXT,
  nonce TEXT,
  -- The valid pair of tokens: null before the exchange; access_hash is null also after the access token was revoked.
  access_hash TEXT,
  access_scope TEXT,
  access_expires_at BIGINT,
  refresh_hash TEXT,
  issued_at BIGINT,
  -- The number of refreshes.
  refreshes BIGINT NOT NULL DEFAULT 0,
  -- When the code or the refresh token expires, and the family with it.
  expires_at BIGINT NOT NULL,
  -- The last of the revocations that apply to the grant and were before it; '' without one. Later ones revoke it.
  revocation TEXT NOT NULL DEFAULT ''
);
CREATE INDEX oauth_grants_of_user ON oauth_grants (user_id, application_id);
CREATE INDEX oauth_grants_of_application ON oauth_grants (application_id);
CREATE INDEX oauth_grants_of_session ON oauth_grants (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX oauth_grants_by_expiry ON oauth_grants (expires_at);

-- The grants that are not revoked.
CREATE VIEW valid_grants AS
SELECT id, application_id, user_id, code_hash, scope, redirect_uri, redirect_uri_sent, code_challenge, nonce, auth_time,
  amr, session_id, sid, access_hash, access_scope, access_expires_at, refresh_hash, issued_at, expires_at, refreshes
FROM oauth_grants
WHERE NOT EXISTS (
  SELECT 1 FROM grant_revocations r
  WHERE r.user_id IN (oauth_grants.user_id, '') AND r.application_id IN (oauth_grants.application_id, '')
    AND r.id > oauth_grants.revocation
);

-- Used refresh tokens. The reuse of one revokes its family (sign-in/refresh-rotation). A grant keeps its 100 newest
-- (sign-in/refresh-reuse).
CREATE TABLE oauth_used_refresh_tokens (
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  -- When the token would have expired.
  expires_at BIGINT NOT NULL,
  -- The sealed response for a retry within the grace period; null after it (sign-in/refresh-grace).
  successor TEXT,
  -- The number of refreshes before it, modulo 100: a refresh overwrites the token in its slot.
  slot BIGINT NOT NULL,
  PRIMARY KEY (grant_id, hash)
);
CREATE UNIQUE INDEX oauth_used_refresh_tokens_by_slot ON oauth_used_refresh_tokens (slot, grant_id);
CREATE INDEX oauth_used_refresh_tokens_by_expiry ON oauth_used_refresh_tokens (expires_at);
CREATE INDEX oauth_used_refresh_tokens_by_use ON oauth_used_refresh_tokens (used_at) WHERE successor IS NOT NULL;

-- The applications with back-channel logout that a session was used to sign in to.
CREATE TABLE oauth_sign_ins (
  sid TEXT NOT NULL,
  application_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Null after the session has ended: the request that ends it finds the row by its sid, the sweep finds the rest.
  session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  PRIMARY KEY (sid, application_id)
);
CREATE INDEX oauth_sign_ins_of_application ON oauth_sign_ins (application_id);
CREATE INDEX oauth_sign_ins_of_user ON oauth_sign_ins (user_id);
CREATE INDEX oauth_sign_ins_of_session ON oauth_sign_ins (session_id);

-- Keys that sign ID tokens (sign-in/key-rotation). The number orders two keys that were created at the same time.
CREATE TABLE oauth_signing_keys (
  number BIGINT PRIMARY KEY,
  kid TEXT NOT NULL UNIQUE,
  -- JSON Web Key; the private part is sealed.
  public_key TEXT NOT NULL,
  private_key_sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- The key signs from this time until the next key's.
  active_from BIGINT NOT NULL
);
