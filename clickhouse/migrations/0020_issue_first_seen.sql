-- When each issue was first seen, ever: what is new in a window, and what to alert of.
--
-- No TTL. Parts are rewritten one by one when their rows expire: an issue's oldest row could expire in an old part
-- while newer parts have it still, and the issue would be new again. An issue has one row, of 19 bytes on disk.
-- stored_at finds the issues of the last minutes without the rest. There is no bucket, so that a fill adds what the
-- stored reports have; the view reads the rollup by day, of which a row is an issue's already.

CREATE TABLE IF NOT EXISTS issue_first_seen
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    issue_key       UInt64 COMMENT 'The issue' CODEC(ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at of its reports, of expired ones too' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    stored_at       SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'When its first report was stored, or this table was filled' CODEC(T64, ZSTD(1)),
    noise           SimpleAggregateFunction(min, Bool)
        COMMENT 'Whether all of its reports are noise' CODEC(ZSTD(1)),
    INDEX stored_at_range stored_at TYPE minmax GRANULARITY 1
)
ENGINE = AggregatingMergeTree
ORDER BY (tenant_id, report_type, site_id, issue_key)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000
COMMENT 'When each issue was first and last seen, ever';

CREATE MATERIALIZED VIEW IF NOT EXISTS issue_first_seen_mv
TO issue_first_seen AS
SELECT
    tenant_id,
    report_type,
    site_id,
    issue_key,
    min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at,
    min(now64(3, 'UTC')) AS stored_at,
    min(noise) AS noise
FROM reports_per_day_by_issue
GROUP BY tenant_id, report_type, site_id, issue_key;
