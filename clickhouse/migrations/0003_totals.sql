-- How many reports of each type, by site and for all sites together (the nil site), a minute and an hour.

CREATE TABLE IF NOT EXISTS totals_minute
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    site_id         UUID COMMENT 'The site; 00000000-0000-0000-0000-000000000000 for all sites together',
    bucket          DateTime('UTC') COMMENT 'Start of the minute of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, site and minute';

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_minute_view TO totals_minute AS
SELECT
    tenant_id,
    report_type,
    arrayJoin([site_id, toUUID('00000000-0000-0000-0000-000000000000')]) AS site_id,
    toStartOfMinute(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    sum(weight) AS weight,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, site_id, bucket;

CREATE TABLE IF NOT EXISTS totals_hour AS totals_minute
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, site and hour';

CREATE MATERIALIZED VIEW IF NOT EXISTS totals_hour_view TO totals_hour AS
SELECT
    tenant_id,
    report_type,
    site_id,
    toStartOfHour(bucket) AS bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    max(retention_days) AS retention_days
FROM totals_minute
GROUP BY tenant_id, report_type, site_id, bucket;
