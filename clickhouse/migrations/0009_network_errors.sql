-- Network errors by error type, phase, request origin and status. group_key: see 0008_crashes.sql.

CREATE TABLE IF NOT EXISTS network_errors_per_day_by_group
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'network-error',
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    feature         LowCardinality(String) COMMENT 'The error type; untrusted',
    phase           LowCardinality(String) COMMENT 'dns, connection or application',
    request_origin  String COMMENT 'Origin of the failed request' CODEC(ZSTD(1)),
    status_code     UInt16 COMMENT 'HTTP status, 0 when there was none',
    group_key       SimpleAggregateFunction(any, UInt64)
        DEFAULT halfMD5(concatWithSeparator(
            '\n',
            toString(length(feature)),
            feature,
            toString(length(phase)),
            phase,
            request_origin,
            toString(status_code)
        ))
        COMMENT 'Error type, phase, request origin and status' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    server_ips      SimpleAggregateFunction(sumMap, Map(String, UInt64))
        COMMENT 'Reports by address of the server; untrusted' CODEC(ZSTD(1)),
    protocols       SimpleAggregateFunction(sumMap, Map(String, UInt64))
        COMMENT 'Reports by ALPN id; untrusted' CODEC(ZSTD(1)),
    methods         SimpleAggregateFunction(sumMap, Map(String, UInt64))
        COMMENT 'Reports by request method; untrusted' CODEC(ZSTD(1)),
    browsers        SimpleAggregateFunction(groupUniqArrayArray, Array(String))
        COMMENT 'Browser families' CODEC(ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, site_id, feature, phase, request_origin, status_code)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Network errors by group and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS network_errors_per_day_by_group_mv
TO network_errors_per_day_by_group AS
SELECT
    tenant_id,
    report_type,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    site_id,
    feature,
    phase,
    toString(request_origin) AS request_origin,
    status_code,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    sumMap(map(toString(server_ip), toUInt64(1))) AS server_ips,
    sumMap(map(toString(protocol), toUInt64(1))) AS protocols,
    sumMap(map(toString(method), toUInt64(1))) AS methods,
    groupUniqArray(toString(browser_name)) AS browsers,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type = 'network-error'
GROUP BY tenant_id, report_type, bucket, site_id, feature, phase, request_origin, status_code;
