-- The user who uploaded the image, whose images together have a limit (limits/caps). Null for an image that a node of the
-- previous version stores during an upgrade: it does not count until it is replaced.
ALTER TABLE images ADD COLUMN uploader_id TEXT REFERENCES users (id);
CREATE INDEX images_by_uploader ON images (uploader_id);

UPDATE images SET uploader_id = (SELECT u.id FROM users u WHERE u.id = images.owner_id) WHERE kind = 'users';
UPDATE images SET uploader_id = (SELECT s.owner_id FROM servers s WHERE s.id = images.owner_id) WHERE kind = 'servers';
UPDATE images SET uploader_id = (SELECT a.owner_id FROM applications a WHERE a.id = images.owner_id)
  WHERE kind = 'applications';
UPDATE images SET uploader_id = (SELECT w.created_by FROM webhooks w WHERE w.id = images.owner_id)
  WHERE kind = 'webhooks';
