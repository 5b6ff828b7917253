-- Reports by page and by the policy they quote; monitored pages and their scans.
--
-- Scans are evidence of PCI DSS 4.0 requirement 11.6.1 and few: no TTL. A page is of one site for good, so its id
-- implies the site. Changes between scans are computed on reading, so that scans can arrive in any order. The script_
-- columns are parsed from the JSON of scripts once, for reads of many scans. Integrity metadata counts with a hash that
-- browsers know (Subresource Integrity, 3.2 and 3.5).

CREATE TABLE IF NOT EXISTS reports_per_day_by_page
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    page            String COMMENT 'The page without query, empty when unknown; untrusted' CODEC(ZSTD(1)),
    disposition     LowCardinality(String) COMMENT 'enforce, report, or empty',
    policy_key      UInt64 COMMENT 'The policy its reports quote, nonces apart; 0 when they quote none' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, page, disposition, policy_key, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by page, policy and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_page_mv
TO reports_per_day_by_page AS
SELECT
    tenant_id,
    report_type,
    site_id,
    cutQueryString(document_url) AS page,
    disposition,
    policy_key,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, site_id, page, disposition, policy_key, bucket;

CREATE TABLE IF NOT EXISTS monitored_pages
(
    tenant_id   UUID COMMENT 'The tenant that owns it',
    site_id     UUID COMMENT 'The site it belongs to',
    id          UUID COMMENT 'The page',
    kind        LowCardinality(String) COMMENT 'payment (requirements 6.4.3 and 11.6.1) or other',
    label       String COMMENT 'Its name, for people',
    pattern     String COMMENT 'scheme://host/path; * matches within a segment, ** as the last segment any remainder',
    scan_url    String COMMENT 'The one URL the scheduled scans fetch, empty when none is set',
    position    UInt32 COMMENT 'Its place in the order the site lists its pages',
    updated_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, site_id, id)
COMMENT 'Monitored pages';

CREATE TABLE IF NOT EXISTS page_scans
(
    tenant_id           UUID COMMENT 'The tenant that owns it' CODEC(ZSTD(1)),
    page_id             UUID COMMENT 'The monitored page' CODEC(ZSTD(1)),
    scanned_at          DateTime64(3, 'UTC') COMMENT 'When it was scanned' CODEC(DoubleDelta, ZSTD(1)),
    id                  UUID COMMENT 'The scan' CODEC(ZSTD(1)),
    status              LowCardinality(String) COMMENT 'complete or failed',
    failure_reason      LowCardinality(String) COMMENT 'Why it failed, such as timeout; empty when complete',
    failure_message     String COMMENT 'Failure for people, empty when there is none' CODEC(ZSTD(1)),
    rubric_version      UInt32 COMMENT 'The rubric of its grade; grades of two rubrics are not compared',
    grade               LowCardinality(String) COMMENT 'A+, A, B, C, D or F; empty when failed',
    score               UInt8 COMMENT '0 to 100; 0 when failed',
    scan_url            String COMMENT 'The URL fetched, as the page named it then' CODEC(ZSTD(1)),
    final_url           String
        COMMENT 'Where the fetch ended after redirects, empty when unknown; untrusted' CODEC(ZSTD(1)),
    status_code         UInt16 COMMENT 'HTTP status, 0 when there was none',
    headers             Map(LowCardinality(String), String)
        COMMENT 'The watched headers the page sent, in comparable form and watched order; untrusted' CODEC(ZSTD(1)),
    headers_key         UInt64 DEFAULT halfMD5(toString(headers))
        COMMENT 'Hash of headers, to compare scans by' CODEC(ZSTD(1)),
    result              String
        COMMENT 'JSON: the graded result, empty when failed; read for one scan at a time' CODEC(ZSTD(1)),
    scripts             String
        COMMENT 'JSON: the page''s scripts, empty when the scan has no list; untrusted' CODEC(ZSTD(1)),
    script_urls         Array(String)
        DEFAULT arrayMap(script -> JSONExtractString(script, 'identityUrl'), JSONExtractArrayRaw(scripts))
        COMMENT 'Identity of each script tag, empty where it has none; untrusted' CODEC(ZSTD(1)),
    script_hashes       Array(String)
        DEFAULT arrayMap(script -> JSONExtractString(script, 'hash'), JSONExtractArrayRaw(scripts))
        COMMENT 'Hash of each script tag, empty where it was not hashed' CODEC(ZSTD(1)),
    script_integrity    Array(Bool)
        DEFAULT arrayMap(
            script -> match(JSONExtractString(script, 'integrity'), '(?i)(^|\\s)sha(256|384|512)-[a-z0-9+/_-]'),
            JSONExtractArrayRaw(scripts)
        )
        COMMENT 'Whether each script tag has integrity metadata' CODEC(ZSTD(1)),
    scripts_listed      Bool DEFAULT scripts != ''
        COMMENT 'Whether the scan lists the page''s scripts, an empty list included',
    updated_at          DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, page_id, scanned_at, id)
SETTINGS index_granularity = 256
COMMENT 'Scans of monitored pages, one row each';
