-- Reports by every combination of the low-cardinality dimensions, and by the value of one of them at a time.
--
-- A filter reads a few granules: parts of up to 100 MB have one file for all columns, which takes a third less time.

CREATE TABLE IF NOT EXISTS reports_per_hour_by_cube
(
    tenant_id           UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type         LowCardinality(String) COMMENT 'The report type',
    bucket              DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    directive           LowCardinality(String) COMMENT 'Effective CSP directive',
    disposition         LowCardinality(String) COMMENT 'enforce, report, or empty',
    browser_name        LowCardinality(String) COMMENT 'Browser family',
    os_name             LowCardinality(String) COMMENT 'Operating system',
    device_type         LowCardinality(String) COMMENT 'desktop, mobile, tablet or unknown',
    feature             LowCardinality(String) COMMENT 'Policy-controlled feature, API, error type or crash reason',
    destination         LowCardinality(String) COMMENT 'Request destination',
    effective_policy    LowCardinality(String) COMMENT 'Cross-origin opener policy in effect',
    report_count        SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight              SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at       SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at        SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (
    tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination,
    effective_policy
)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, hour and all low-cardinality dimensions';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_hour_by_cube_mv
TO reports_per_hour_by_cube AS
SELECT
    tenant_id, report_type, toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
GROUP BY
    tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination,
    effective_policy;

CREATE TABLE IF NOT EXISTS reports_per_hour_by_cube_value
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimension, value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    min_bytes_for_wide_part = 100000000,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, value of one low-cardinality dimension, and hour';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_hour_by_cube_value_mv
TO reports_per_hour_by_cube_value AS
SELECT
    tenant_id,
    report_type,
    pair.1 AS dimension,
    pair.2 AS value,
    bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports_per_hour_by_cube
ARRAY JOIN [
    ('directive', toString(directive)),
    ('disposition', toString(disposition)),
    ('browserName', toString(browser_name)),
    ('osName', toString(os_name)),
    ('deviceType', toString(device_type)),
    ('feature', toString(feature)),
    ('destination', toString(destination)),
    ('effectivePolicy', toString(effective_policy))
] AS pair
WHERE (report_type, dimension) IN (SELECT report_type, arrayJoin(dimensions) FROM report_types FINAL)
GROUP BY tenant_id, report_type, dimension, value, bucket;

CREATE TABLE IF NOT EXISTS reports_per_day_by_cube
(
    tenant_id           UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type         LowCardinality(String) COMMENT 'The report type',
    bucket              DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    directive           LowCardinality(String) COMMENT 'Effective CSP directive',
    disposition         LowCardinality(String) COMMENT 'enforce, report, or empty',
    browser_name        LowCardinality(String) COMMENT 'Browser family',
    os_name             LowCardinality(String) COMMENT 'Operating system',
    device_type         LowCardinality(String) COMMENT 'desktop, mobile, tablet or unknown',
    feature             LowCardinality(String) COMMENT 'Policy-controlled feature, API, error type or crash reason',
    destination         LowCardinality(String) COMMENT 'Request destination',
    effective_policy    LowCardinality(String) COMMENT 'Cross-origin opener policy in effect',
    report_count        SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight              SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at       SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at        SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (
    tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination,
    effective_policy
)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    min_bytes_for_wide_part = 100000000,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, day and all low-cardinality dimensions';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_cube_mv
TO reports_per_day_by_cube AS
SELECT
    tenant_id, report_type, toStartOfDay(bucket) AS bucket,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports_per_hour_by_cube
GROUP BY
    tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination,
    effective_policy;
