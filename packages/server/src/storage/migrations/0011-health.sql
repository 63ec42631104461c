-- When `gatehouse backup` last ran (administration/backup-time). Null: never.
ALTER TABLE instance_settings ADD COLUMN backed_up_at BIGINT;
