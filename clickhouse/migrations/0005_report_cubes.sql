CREATE TABLE IF NOT EXISTS cube_counts_hour
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
    first_seen          SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen           SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16)
        COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
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
COMMENT 'Reports by type, hour and all dimensions with few values';

CREATE MATERIALIZED VIEW IF NOT EXISTS cube_counts_hour_view TO cube_counts_hour AS
SELECT
    tenant_id, report_type, toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen,
    max(received_at) AS last_seen,
    max(retention_days) AS retention_days
FROM reports
GROUP BY
    tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination,
    effective_policy;

CREATE TABLE IF NOT EXISTS cube_value_counts_hour
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen      SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen       SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimension, value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, value of one dimension of the cube, and hour';

CREATE MATERIALIZED VIEW IF NOT EXISTS cube_value_counts_hour_view TO cube_value_counts_hour AS
SELECT
    tenant_id,
    report_type,
    pair.1 AS dimension,
    pair.2 AS value,
    bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen) AS first_seen,
    max(last_seen) AS last_seen,
    max(retention_days) AS retention_days
FROM cube_counts_hour
ARRAY JOIN arrayConcat(
    [('browserName', toString(browser_name)), ('osName', toString(os_name)), ('deviceType', toString(device_type))],
    multiIf(
        report_type = 'csp-violation', [('disposition', toString(disposition)), ('directive', toString(directive))],
        report_type = 'integrity-violation', [('disposition', toString(disposition)), ('destination', toString(destination))],
        report_type = 'coep', [('disposition', toString(disposition)), ('feature', toString(feature)), ('destination', toString(destination))],
        report_type = 'coop', [('disposition', toString(disposition)), ('feature', toString(feature)), ('effectivePolicy', toString(effective_policy))],
        report_type IN ('permissions-policy-violation', 'document-policy-violation'), [('disposition', toString(disposition)), ('feature', toString(feature))],
        report_type = 'connection-allowlist', [('disposition', toString(disposition))],
        [('feature', toString(feature))]
    )
) AS pair
GROUP BY tenant_id, report_type, dimension, value, bucket;

CREATE TABLE IF NOT EXISTS cube_counts_day
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
    first_seen          SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen           SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16)
        COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
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
COMMENT 'Reports by type, day and all dimensions with few values';

CREATE MATERIALIZED VIEW IF NOT EXISTS cube_counts_day_view TO cube_counts_day AS
SELECT
    tenant_id, report_type, toStartOfDay(bucket) AS bucket,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen) AS first_seen,
    max(last_seen) AS last_seen,
    max(retention_days) AS retention_days
FROM cube_counts_hour
GROUP BY
    tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination,
    effective_policy;
