-- API keys that read one site alone, or from pages of certain origins alone.

ALTER TABLE api_keys
    ADD COLUMN IF NOT EXISTS site_id Nullable(UUID)
        COMMENT 'The one site that it reads; NULL for every site of the tenant' AFTER prefix;

ALTER TABLE api_keys
    ADD COLUMN IF NOT EXISTS origins Array(String)
        COMMENT 'Origins of the pages that may send it; none: any sender may' AFTER site_id;

CREATE OR REPLACE VIEW api_key_by_hash
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT id, tenant_id, name, prefix, site_id, origins, created_at, expires_at, revoked_at
FROM api_keys FINAL
WHERE key_hash = {key_hash:String}
COMMENT 'One API key by its hash';
