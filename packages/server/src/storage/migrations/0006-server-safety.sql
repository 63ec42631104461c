-- The offer of a server to a member (community/ownership-transfer). MemberRemoved of the member deletes it.
CREATE TABLE ownership_transfers (
  server_id TEXT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
  -- Who offers it. The offer has no effect when the server has another owner.
  owner_id TEXT NOT NULL REFERENCES users (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL
);
CREATE INDEX ownership_transfers_by_owner ON ownership_transfers (owner_id);
CREATE INDEX ownership_transfers_by_user ON ownership_transfers (user_id);

-- Both are null for a ban of an earlier version.
ALTER TABLE bans ADD COLUMN moderator_id TEXT;
ALTER TABLE bans ADD COLUMN created_at BIGINT;

-- Whether nobody can join with an invite (community/invites-paused).
ALTER TABLE servers ADD COLUMN invites_paused SMALLINT NOT NULL DEFAULT 0;
