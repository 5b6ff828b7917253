-- Deprecations and interventions by API and source file. The pages, sites and browsers make a row of almost every
-- report, so entries have a table without them. group_key: see 0008_crashes.sql.

CREATE TABLE IF NOT EXISTS browser_changes_per_day_by_page
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    feature         LowCardinality(String) COMMENT 'The browser''s identifier for the API; untrusted',
    source_file     String COMMENT 'Script that used it, without query, empty when unknown; untrusted' CODEC(ZSTD(1)),
    page            String COMMENT 'The page without query; untrusted' CODEC(ZSTD(1)),
    browser_name    LowCardinality(String) COMMENT 'Browser family',
    group_key       SimpleAggregateFunction(any, UInt64)
        DEFAULT halfMD5(concatWithSeparator('\n', report_type, toString(length(feature)), feature, source_file))
        COMMENT 'Type, API and source file' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    removal         SimpleAggregateFunction(max, Tuple(DateTime64(3, 'UTC'), UUID, DateTime64(3, 'UTC')))
        COMMENT 'received_at, id and anticipated_removal_at of the latest with one; zero when none has' CODEC(ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, site_id, feature, source_file, page, browser_name)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Deprecations and interventions by API, source file, page, browser and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS browser_changes_per_day_by_page_mv
TO browser_changes_per_day_by_page AS
SELECT
    tenant_id,
    report_type,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    site_id,
    feature,
    source_file,
    cutQueryString(document_url) AS page,
    browser_name,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    maxIf((received_at, id, assumeNotNull(anticipated_removal_at)), anticipated_removal_at IS NOT NULL) AS removal,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE is_browser_change)
GROUP BY tenant_id, report_type, bucket, site_id, feature, source_file, page, browser_name;

CREATE TABLE IF NOT EXISTS browser_changes_per_day_by_entry
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    feature         LowCardinality(String) COMMENT 'The browser''s identifier for the API; untrusted',
    group_key       UInt64 COMMENT 'Type, API and source file' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    removal         SimpleAggregateFunction(max, Tuple(DateTime64(3, 'UTC'), UUID, DateTime64(3, 'UTC')))
        COMMENT 'received_at, id and anticipated_removal_at of the latest with one; zero when none has' CODEC(ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, feature, group_key)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Deprecations and interventions by API, source file and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS browser_changes_per_day_by_entry_mv
TO browser_changes_per_day_by_entry AS
SELECT
    tenant_id,
    report_type,
    bucket,
    feature,
    halfMD5(concatWithSeparator('\n', report_type, toString(length(feature)), feature, source_file)) AS group_key,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at,
    max(removal) AS removal,
    max(retention_days) AS retention_days
FROM browser_changes_per_day_by_page
GROUP BY tenant_id, report_type, bucket, feature, group_key;
