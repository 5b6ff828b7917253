-- Reports by the value of one high-cardinality dimension at a time. A type has rows of each of its dimensions, the
-- missing value ('') included, so that the values of a dimension sum to the total.
--
-- Hours are stored in two orders: by time for rankings and patterns, by value for one value. Only rankings need the
-- first and the last time.

CREATE TABLE IF NOT EXISTS reports_per_hour_by_value_time_ordered
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
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
ORDER BY (tenant_id, report_type, dimension, bucket, value)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, value of one high-cardinality dimension, and hour, sorted by time';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_hour_by_value_time_ordered_mv
TO reports_per_hour_by_value_time_ordered AS
SELECT
    tenant_id,
    report_type,
    pair.1 AS dimension,
    toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket,
    pair.2 AS value,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
ARRAY JOIN [
    ('siteId', toString(site_id)),
    ('documentHost', toString(document_host)),
    ('blockedHost', toString(blocked_host)),
    ('blockedUrl', blocked_url),
    ('blockedOrigin', toString(blocked_origin)),
    ('otherOrigin', toString(other_origin)),
    ('sourceFile', source_file)
] AS pair
WHERE (report_type, dimension) IN (SELECT report_type, arrayJoin(dimensions) FROM report_types FINAL)
GROUP BY tenant_id, report_type, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS reports_per_hour_by_value
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
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
COMMENT 'Reports by type, value of one high-cardinality dimension, and hour, sorted by value';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_hour_by_value_mv
TO reports_per_hour_by_value AS
SELECT tenant_id, report_type, dimension, value, bucket, report_count, weight, retention_days
FROM reports_per_hour_by_value_time_ordered;

CREATE TABLE IF NOT EXISTS reports_per_day_by_value
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
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
COMMENT 'Reports by type, value of one high-cardinality dimension, and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_value_mv
TO reports_per_day_by_value AS
SELECT
    tenant_id,
    report_type,
    dimension,
    value,
    toStartOfDay(bucket) AS bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports_per_hour_by_value_time_ordered
GROUP BY tenant_id, report_type, dimension, value, bucket;
