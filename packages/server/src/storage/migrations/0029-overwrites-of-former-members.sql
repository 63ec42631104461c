-- Overwrites of users who are no longer members (community/removed-member). Whether they left or were kicked is not known, so what
-- the overwrites deny stays denied.
UPDATE overwrites SET allow = '0'
WHERE type = 'member' AND allow <> '0' AND NOT EXISTS (
  SELECT 1 FROM channels c JOIN members m ON m.server_id = c.server_id
  WHERE c.id = overwrites.channel_id AND m.user_id = overwrites.target_id
);
DELETE FROM overwrites
WHERE type = 'member' AND deny = '0' AND NOT EXISTS (
  SELECT 1 FROM channels c JOIN members m ON m.server_id = c.server_id
  WHERE c.id = overwrites.channel_id AND m.user_id = overwrites.target_id
);
