-- Reports by the value of one dimension at a time, all sites together. A type has rows only for the dimensions it
-- carries, and then for the missing value ('') too, so that a marginal always sums to the total.

CREATE TABLE IF NOT EXISTS marginals_hour
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimension       LowCardinality(String) COMMENT 'The dimension, by its parameter name',
    value           String COMMENT 'Its value, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the hour of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen      SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen       SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimension, value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, value of one dimension and hour';

CREATE MATERIALIZED VIEW IF NOT EXISTS marginals_hour_view TO marginals_hour AS
SELECT
    tenant_id,
    report_type,
    pair.1 AS dimension,
    pair.2 AS value,
    toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen,
    max(received_at) AS last_seen,
    max(retention_days) AS retention_days
FROM reports
ARRAY JOIN arrayConcat(
    [
        ('siteId', toString(site_id)),
        ('documentHost', toString(document_host)),
        ('browserName', toString(browser_name)),
        ('osName', toString(os_name)),
        ('deviceType', toString(device_type))
    ],
    multiIf(
        report_type = 'csp-violation',
        [('disposition', toString(disposition)), ('directive', toString(directive)), ('blockedHost', toString(blocked_host))],
        report_type = 'integrity-violation',
        [('disposition', toString(disposition)), ('blockedUrl', blocked_url), ('blockedOrigin', toString(blocked_origin)), ('destination', toString(destination))],
        report_type = 'coep',
        [('disposition', toString(disposition)), ('feature', toString(feature)), ('blockedOrigin', toString(blocked_origin)), ('destination', toString(destination))],
        report_type = 'coop',
        [('disposition', toString(disposition)), ('feature', toString(feature)), ('effectivePolicy', toString(effective_policy)), ('otherOrigin', toString(other_origin))],
        report_type IN ('permissions-policy-violation', 'document-policy-violation'),
        [('disposition', toString(disposition)), ('feature', toString(feature)), ('sourceFile', source_file)],
        report_type = 'connection-allowlist',
        [('disposition', toString(disposition)), ('blockedOrigin', toString(blocked_origin))],
        report_type IN ('deprecation', 'intervention'),
        [('feature', toString(feature)), ('sourceFile', source_file)],
        [('feature', toString(feature))]
    )
) AS pair
GROUP BY tenant_id, report_type, dimension, value, bucket;

CREATE TABLE IF NOT EXISTS marginals_day AS marginals_hour
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimension, value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, value of one dimension and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS marginals_day_view TO marginals_day AS
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
FROM marginals_hour
GROUP BY tenant_id, report_type, dimension, value, bucket;
