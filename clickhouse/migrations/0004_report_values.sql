CREATE TABLE IF NOT EXISTS value_counts_hour_by_time
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
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
ORDER BY (tenant_id, report_type, dimension, bucket, value)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, value of one dimension with many values, and hour, in the order of time';

CREATE MATERIALIZED VIEW IF NOT EXISTS value_counts_hour_by_time_view TO value_counts_hour_by_time AS
SELECT
    tenant_id,
    report_type,
    pair.1 AS dimension,
    toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket,
    pair.2 AS value,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen,
    max(received_at) AS last_seen,
    max(retention_days) AS retention_days
FROM reports
ARRAY JOIN arrayConcat(
    [('siteId', toString(site_id)), ('documentHost', toString(document_host))],
    multiIf(
        report_type = 'csp-violation', [('blockedHost', toString(blocked_host))],
        report_type = 'integrity-violation', [('blockedUrl', blocked_url), ('blockedOrigin', toString(blocked_origin))],
        report_type IN ('coep', 'connection-allowlist'), [('blockedOrigin', toString(blocked_origin))],
        report_type = 'coop', [('otherOrigin', toString(other_origin))],
        report_type IN ('permissions-policy-violation', 'document-policy-violation', 'deprecation', 'intervention'), [('sourceFile', source_file)],
        []
    )
) AS pair
GROUP BY tenant_id, report_type, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS value_counts_hour_by_value
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
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
COMMENT 'Reports by type, value of one dimension with many values, and hour, in the order of values';

CREATE MATERIALIZED VIEW IF NOT EXISTS value_counts_hour_by_value_view TO value_counts_hour_by_value AS
SELECT tenant_id, report_type, dimension, value, bucket, report_count, weight, retention_days
FROM value_counts_hour_by_time;

CREATE TABLE IF NOT EXISTS value_counts_day
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
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
COMMENT 'Reports by type, value of one dimension with many values, and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS value_counts_day_view TO value_counts_day AS
SELECT
    tenant_id,
    report_type,
    dimension,
    value,
    toStartOfDay(bucket) AS bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen) AS first_seen,
    max(last_seen) AS last_seen,
    max(retention_days) AS retention_days
FROM value_counts_hour_by_time
GROUP BY tenant_id, report_type, dimension, value, bucket;
