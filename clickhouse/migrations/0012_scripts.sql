-- Scripts of each site: sightings by browsers, decisions and copies by people, and the public libraries they belong to.
-- csp-hash reports a script's hash, integrity-violation that it has no integrity metadata. A violation of anything else
-- has no script_url: it counts only as a sign that the site reports integrity.
--
-- script_versions outlives the reports: with a TTL a script that never changes would seem new whenever retention moves
-- on. It has no bucket, so it is neither checked nor rebuilt; its view selected over all reports completes it.
--
-- Decisions and captures are evidence of PCI DSS 4.0 requirement 6.4.3: no TTL.
-- Libraries are the same for every tenant.

CREATE TABLE IF NOT EXISTS reports_per_day_by_script
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'csp-hash or integrity-violation',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    script_url      String COMMENT 'The script, without query, empty when unknown; untrusted' CODEC(ZSTD(1)),
    page            String COMMENT 'The page without query, empty when unknown; untrusted' CODEC(ZSTD(1)),
    reported_hash   String COMMENT 'Its hash as the browser wrote it, empty when unhashed; untrusted' CODEC(ZSTD(1)),
    disposition     LowCardinality(String) COMMENT 'integrity-violation: enforce, report, or empty',
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, script_url, page, reported_hash, disposition, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Hashes of scripts and integrity violations, by script, page, hash and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_script_mv
TO reports_per_day_by_script AS
SELECT
    tenant_id,
    report_type,
    site_id,
    script_url,
    cutQueryString(document_url) AS page,
    reported_hash,
    disposition,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN ('csp-hash', 'integrity-violation')
GROUP BY tenant_id, report_type, site_id, script_url, page, reported_hash, disposition, bucket;

CREATE TABLE IF NOT EXISTS script_versions
(
    tenant_id       UUID COMMENT 'The tenant',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    script_url      String COMMENT 'The script, without query; untrusted' CODEC(ZSTD(1)),
    script_hash     String COMMENT 'sha256-<base64>, or the same of another digest; empty when unhashed' CODEC(ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'When a browser first reported it' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'When a browser last reported it' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (tenant_id, site_id, script_url, script_hash)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000
COMMENT 'The hashes that browsers reported of each script, ever';

CREATE MATERIALIZED VIEW IF NOT EXISTS script_versions_mv
TO script_versions AS
SELECT
    tenant_id,
    site_id,
    script_url,
    script_hash,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at
FROM reports
WHERE report_type = 'csp-hash' AND script_url != ''
GROUP BY tenant_id, site_id, script_url, script_hash;

CREATE TABLE IF NOT EXISTS script_decisions
(
    tenant_id       UUID COMMENT 'The tenant that owns it',
    site_id         UUID COMMENT 'The site the script is of',
    id              UUID COMMENT 'The decision',
    script_url      String COMMENT 'The script, without query',
    status          LowCardinality(String) COMMENT 'authorized or rejected',
    integrity_mode  LowCardinality(String) COMMENT 'any_content or pinned_hashes, empty for a rejection',
    pinned_hashes   String
        COMMENT 'JSON: the hashes it pins; null where it pins those the script had had by then, or none by its mode',
    justification   String COMMENT 'Why, for people; empty when there is none',
    decided_name    String COMMENT 'Name of who decided, as recorded then; empty when unknown',
    decided_email   String COMMENT 'Their email, as recorded then',
    decided_at      DateTime64(3, 'UTC') COMMENT 'When it was decided',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, site_id, id)
COMMENT 'Decisions about scripts; none is ever changed or removed';

CREATE TABLE IF NOT EXISTS script_captures
(
    tenant_id       UUID COMMENT 'The tenant that owns it',
    site_id         UUID COMMENT 'The site the script is of',
    id              UUID COMMENT 'UUIDv5 of the hash in the namespace of the script''s id',
    script_url      String COMMENT 'The script, without query; untrusted',
    script_hash     String COMMENT 'The hash that the copy should have',
    state           LowCardinality(String) COMMENT 'pending, captured, mismatched, refused or interrupted',
    reason          LowCardinality(String) COMMENT 'Why it was refused, otherwise empty',
    source          LowCardinality(String) COMMENT 'report or scan: the sighting that caused it',
    fetched_url     String COMMENT 'The URL fetched, query included; untrusted',
    final_url       String COMMENT 'URL of the response, empty when there was none; untrusted',
    received_hash   String COMMENT 'Hash of the bytes the origin served, where mismatched, otherwise empty',
    size            Nullable(UInt64) COMMENT 'Bytes held',
    reused          Bool COMMENT 'Whether the copy is made of bytes that were stored before',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, site_id, id)
COMMENT 'Attempts to keep a copy of a script, one for each of its hashes';

CREATE TABLE IF NOT EXISTS library_files
(
    id          String COMMENT 'Its hash: sha256-<base64>, or the same of another digest',
    name        LowCardinality(String) COMMENT 'The library',
    release     String COMMENT 'The earliest release that holds the bytes' CODEC(ZSTD(1)),
    path        String COMMENT 'The file within the package' CODEC(ZSTD(1)),
    catalog     LowCardinality(String) COMMENT 'Where the library is published, such as npm',
    updated_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY id
SETTINGS index_granularity = 1024
COMMENT 'Index of public libraries: the file that has a hash';

CREATE TABLE IF NOT EXISTS library_advisories
(
    id          String COMMENT 'catalog and name, apart by a space',
    catalog     LowCardinality(String) COMMENT 'Where the library is published, such as npm',
    name        LowCardinality(String) COMMENT 'The library',
    checked_at  DateTime64(3, 'UTC') COMMENT 'When the advisory databases were read: of several rows the latest counts',
    advisories  String COMMENT 'JSON: every advisory about any release of the library' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(checked_at)
ORDER BY id
COMMENT 'Advisories about each public library, by advisory databases';
