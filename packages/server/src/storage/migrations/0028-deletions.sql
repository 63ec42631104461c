-- When the parent was deleted: every read ignores it from then on. The sweep deletes its rows in batches, and then the parent.
ALTER TABLE servers ADD COLUMN deleted_at BIGINT;
ALTER TABLE channels ADD COLUMN deleted_at BIGINT;
ALTER TABLE roles ADD COLUMN deleted_at BIGINT;
ALTER TABLE applications ADD COLUMN deleted_at BIGINT;
ALTER TABLE commands ADD COLUMN deleted_at BIGINT;
CREATE INDEX servers_deleted ON servers (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX channels_deleted ON channels (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX roles_deleted ON roles (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX applications_deleted ON applications (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX commands_deleted ON commands (deleted_at) WHERE deleted_at IS NOT NULL;

-- The overrides of commands, roles and channels that are not deleted. Null is not in a list, so COALESCE.
CREATE VIEW valid_command_overrides AS
SELECT server_id, command_id, position, application_id, role_id, user_id, channel_id, allow
FROM command_overrides
WHERE command_id NOT IN (SELECT c.id FROM commands c WHERE c.deleted_at >= 0)
  AND COALESCE(role_id, '') NOT IN (SELECT r.id FROM roles r WHERE r.deleted_at >= 0)
  AND COALESCE(channel_id, '') NOT IN (SELECT h.id FROM channels h WHERE h.deleted_at >= 0);

CREATE INDEX timeouts_by_end ON timeouts (server_id, until);
