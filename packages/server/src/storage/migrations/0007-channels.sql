-- What members without a role need to write (community/verification-level).
ALTER TABLE servers ADD COLUMN verification_level TEXT NOT NULL DEFAULT 'none';
