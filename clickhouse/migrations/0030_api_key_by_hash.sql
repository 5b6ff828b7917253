-- The one way in which the reader finds a key: it may not list hashes (server/users.xml).

CREATE VIEW IF NOT EXISTS api_key_by_hash
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT id, tenant_id, name, prefix, created_at, expires_at, revoked_at
FROM api_keys FINAL
WHERE key_hash = {key_hash:String}
COMMENT 'One API key by its hash';
