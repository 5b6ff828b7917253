-- Reports by every combination of the dimensions with few values: any filters and groupings within them.

CREATE TABLE IF NOT EXISTS cube_hour
(
    tenant_id           UUID COMMENT 'The tenant',
    report_type         LowCardinality(String) COMMENT 'The report type',
    bucket              DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    site_id             UUID COMMENT 'The site' CODEC(ZSTD(1)),
    directive           LowCardinality(String) COMMENT 'Effective CSP directive',
    disposition         LowCardinality(String) COMMENT 'enforce, report, or empty',
    browser_name        LowCardinality(String) COMMENT 'Browser family',
    os_name             LowCardinality(String) COMMENT 'Operating system',
    device_type         LowCardinality(String) COMMENT 'desktop, mobile, tablet or unknown',
    feature             LowCardinality(String) COMMENT 'Policy-controlled feature, API, error type or crash reason',
    destination         LowCardinality(String) COMMENT 'Request destination',
    effective_policy    LowCardinality(String) COMMENT 'Cross-origin opener policy in effect',
    report_count        SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight              SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen          SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen           SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, site_id, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, hour and all dimensions with few values';

CREATE MATERIALIZED VIEW IF NOT EXISTS cube_hour_view TO cube_hour AS
SELECT
    tenant_id, report_type, toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket, site_id,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen,
    max(received_at) AS last_seen,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, bucket, site_id, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy;

CREATE TABLE IF NOT EXISTS cube_day AS cube_hour
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, site_id, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, day and all dimensions with few values';

CREATE MATERIALIZED VIEW IF NOT EXISTS cube_day_view TO cube_day AS
SELECT
    tenant_id, report_type, toStartOfDay(bucket) AS bucket, site_id,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen) AS first_seen,
    max(last_seen) AS last_seen,
    max(retention_days) AS retention_days
FROM cube_hour
GROUP BY tenant_id, report_type, bucket, site_id, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy;
