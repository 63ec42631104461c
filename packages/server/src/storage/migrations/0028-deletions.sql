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

CREATE INDEX timeouts_by_end ON timeouts (server_id, until);
