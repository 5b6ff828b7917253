-- Reports of each type.

CREATE TABLE IF NOT EXISTS reports_per_minute
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    bucket          DateTime('UTC') COMMENT 'Start of the minute of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type and minute';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_minute_mv
TO reports_per_minute AS
SELECT
    tenant_id,
    report_type,
    toStartOfMinute(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    sum(weight) AS weight,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, bucket;

CREATE TABLE IF NOT EXISTS reports_per_hour
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type and hour';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_hour_mv
TO reports_per_hour AS
SELECT
    tenant_id,
    report_type,
    toStartOfHour(bucket) AS bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    max(retention_days) AS retention_days
FROM reports_per_minute
GROUP BY tenant_id, report_type, bucket;
