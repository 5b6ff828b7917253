-- Tenants, their sites and API keys. A change is a new row with a later updated_at; reads use FINAL.

CREATE TABLE IF NOT EXISTS tenants
(
    id          UUID COMMENT 'The tenant',
    name        String COMMENT 'Its name, for people',
    plan        LowCardinality(String) COMMENT 'free, team, professional, business or enterprise',
    overrides   String COMMENT 'JSON: cells of the plan table that this tenant''s contract changes',
    created_at  DateTime64(3, 'UTC') COMMENT 'When it was created',
    updated_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY id
COMMENT 'Tenants, the owners of every other row';

CREATE TABLE IF NOT EXISTS sites
(
    id              UUID COMMENT 'The site',
    tenant_id       UUID COMMENT 'The tenant that owns it',
    name            String COMMENT 'Its name, for people',
    hosts           Array(String)
        COMMENT 'Lower-case hosts whose reports are the site''s; *.example.com takes every subdomain',
    token           String
        COMMENT 'Public name of its address for reports, /r/ and 22 characters; another after a rotation',
    sample_rates    Map(LowCardinality(String), Float64)
        COMMENT 'Share of the reports of a type that the collector stores, above 0 up to 1; all of the other types',
    created_at      DateTime64(3, 'UTC') COMMENT 'When it was created',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, id)
COMMENT 'Sites, the unit a tenant''s reports belong to';

CREATE TABLE IF NOT EXISTS api_keys
(
    key_hash    FixedString(64)
        COMMENT 'Lower-case hexadecimal SHA-256 of the whole key; the key itself is never stored',
    id          UUID COMMENT 'The key''s public id',
    tenant_id   UUID COMMENT 'The tenant it reads',
    name        String COMMENT 'Its name, for people',
    prefix      String COMMENT 'The 8 characters after srk_live_',
    created_at  DateTime64(3, 'UTC') COMMENT 'When it was made',
    expires_at  DateTime64(3, 'UTC') COMMENT 'From when it is refused',
    revoked_at  Nullable(DateTime64(3, 'UTC')) COMMENT 'From when it is refused for good',
    updated_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY key_hash
COMMENT 'API keys by their hash';

-- The reader finds a key by its hash, and may not list hashes (server/users.xml).
CREATE VIEW IF NOT EXISTS api_key_by_hash
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT id, tenant_id, name, prefix, created_at, expires_at, revoked_at
FROM api_keys FINAL
WHERE key_hash = {key_hash:String}
COMMENT 'One API key by its hash';
