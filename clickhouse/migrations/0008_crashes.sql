-- Crashes by reason, page, frame and visibility. group_key is the first half of the MD5 of the group's values, a line
-- each, with the length before a browser's text. Grouping by the values took two to four times as long.

CREATE TABLE IF NOT EXISTS crashes_per_day_by_group
(
    tenant_id           UUID COMMENT 'The tenant',
    report_type         LowCardinality(String) COMMENT 'crash',
    bucket              DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    site_id             UUID COMMENT 'The site' CODEC(ZSTD(1)),
    feature             LowCardinality(String) COMMENT 'The reason, empty when unknown; untrusted',
    page                String COMMENT 'The page without query; untrusted' CODEC(ZSTD(1)),
    is_top_level        Nullable(Bool) COMMENT 'Whether the page was a top-level one',
    visibility_state    LowCardinality(String) COMMENT 'Page visibility, empty when unknown; untrusted',
    group_key           SimpleAggregateFunction(any, UInt64)
        DEFAULT halfMD5(concatWithSeparator(
            '\n',
            toString(length(feature)),
            feature,
            toString(length(page)),
            page,
            ifNull(toString(is_top_level), ''),
            visibility_state
        ))
        COMMENT 'Reason, page, frame and visibility' CODEC(ZSTD(1)),
    report_count        SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight              SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at       SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at        SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    last_stack_at       SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at of those with a stack; 1970 when none has one' CODEC(T64, ZSTD(1)),
    browsers            SimpleAggregateFunction(groupUniqArrayArray, Array(String))
        COMMENT 'Browser families' CODEC(ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, site_id, feature, page, is_top_level, visibility_state)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    allow_nullable_key = 1,
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Crashes by group and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS crashes_per_day_by_group_mv
TO crashes_per_day_by_group AS
SELECT
    tenant_id,
    report_type,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    site_id,
    feature,
    cutQueryString(document_url) AS page,
    is_top_level,
    visibility_state,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    maxIf(received_at, stack != '') AS last_stack_at,
    groupUniqArray(toString(browser_name)) AS browsers,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type = 'crash'
GROUP BY tenant_id, report_type, bucket, site_id, feature, page, is_top_level, visibility_state;
