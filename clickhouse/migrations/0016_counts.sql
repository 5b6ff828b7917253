-- The rollups of counts, anew: counts of types without sites, a cube without sites, the values of its dimensions made from
-- it, and pairs of dimensions. Whoever applies it fills them from the reports that are there (clickhouse/migrate.ts).

-- How many reports of each type a minute and an hour.

CREATE TABLE IF NOT EXISTS type_counts_minute
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    bucket          DateTime('UTC') COMMENT 'Start of the minute of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type and minute';

CREATE TABLE IF NOT EXISTS type_counts_hour AS type_counts_minute
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type and hour';

CREATE MATERIALIZED VIEW IF NOT EXISTS type_counts_hour_view TO type_counts_hour AS
SELECT
    tenant_id,
    report_type,
    toStartOfHour(bucket) AS bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    max(retention_days) AS retention_days
FROM type_counts_minute
GROUP BY tenant_id, report_type, bucket;

CREATE MATERIALIZED VIEW IF NOT EXISTS type_counts_minute_view TO type_counts_minute AS
SELECT
    tenant_id,
    report_type,
    toStartOfMinute(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    sum(weight) AS weight,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, bucket;

-- Reports by the value of one dimension at a time, of those with many values. A type has rows only for the dimensions it
-- carries, and then for the missing value ('') too, so that its values always sum to the total.

CREATE TABLE IF NOT EXISTS value_counts_hour
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
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
COMMENT 'Reports by type, value of one dimension with many values, and hour';

CREATE TABLE IF NOT EXISTS value_counts_day AS value_counts_hour
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimension, value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
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
FROM value_counts_hour
GROUP BY tenant_id, report_type, dimension, value, bucket;

CREATE MATERIALIZED VIEW IF NOT EXISTS value_counts_hour_view TO value_counts_hour AS
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
GROUP BY tenant_id, report_type, dimension, value, bucket;

-- Reports by every combination of the dimensions with few values: any filters and groupings within them.

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
    weight              SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen          SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen           SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, hour and all dimensions with few values';

CREATE TABLE IF NOT EXISTS cube_counts_day AS cube_counts_hour
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, day and all dimensions with few values';

CREATE TABLE IF NOT EXISTS cube_value_counts_hour AS value_counts_hour
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimension, value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, value of one dimension of the cube, and hour';

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
GROUP BY tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy;

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
GROUP BY tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy;

-- Reports by the values of two dimensions, of pairs that are asked for often (schema/dimensions.ts).

CREATE TABLE IF NOT EXISTS pair_counts_day
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimensions      LowCardinality(String) COMMENT 'The two dimensions by their parameter names, a comma between them',
    value           LowCardinality(String) COMMENT 'Value of the first, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    other_value     LowCardinality(String) COMMENT 'Value of the second, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen      SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen       SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimensions, value, other_value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by type, values of two dimensions, and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS pair_counts_day_view TO pair_counts_day AS
SELECT
    tenant_id,
    report_type,
    pair.1 AS dimensions,
    pair.2 AS value,
    pair.3 AS other_value,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen,
    max(received_at) AS last_seen,
    max(retention_days) AS retention_days
FROM reports
ARRAY JOIN [
    ('siteId,directive', toString(site_id), toString(directive)),
    ('siteId,blockedHost', toString(site_id), toString(blocked_host)),
    ('directive,blockedHost', toString(directive), toString(blocked_host))
] AS pair
WHERE report_type = 'csp-violation'
GROUP BY tenant_id, report_type, dimensions, value, other_value, bucket;

-- What they take the place of.

DROP VIEW IF EXISTS totals_hour_view SYNC;
DROP VIEW IF EXISTS totals_minute_view SYNC;
DROP VIEW IF EXISTS marginals_day_view SYNC;
DROP VIEW IF EXISTS marginals_hour_view SYNC;
DROP VIEW IF EXISTS cube_day_view SYNC;
DROP VIEW IF EXISTS cube_hour_view SYNC;
DROP TABLE IF EXISTS totals_hour SYNC;
DROP TABLE IF EXISTS totals_minute SYNC;
DROP TABLE IF EXISTS marginals_day SYNC;
DROP TABLE IF EXISTS marginals_hour SYNC;
DROP TABLE IF EXISTS cube_day SYNC;
DROP TABLE IF EXISTS cube_hour SYNC;
