-- Issues: reports with the same site, type, subject and host. issue_key is the id of the API.
--
-- A page of issues reads a few rows at 50 places of each part, so compressed blocks and granules are small, and parts
-- of up to 100 MB have one file for all columns: two thirds of the processor time, for 3.6 bytes a report (10 million).

CREATE TABLE IF NOT EXISTS reports_per_day_by_issue
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    issue_key       UInt64 COMMENT 'The issue' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    issue_subject   SimpleAggregateFunction(any, String)
        COMMENT 'Subject: a directive, feature, destination or policy; untrusted' CODEC(ZSTD(1)),
    issue_host      SimpleAggregateFunction(any, String)
        COMMENT 'Host it is about, empty when unknown; untrusted' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    noise_count     SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports that are noise' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    pages           AggregateFunction(uniqExact, UInt64)
        COMMENT 'Distinct pages, by cityHash64 of the URL without query' CODEC(ZSTD(1)),
    browsers        SimpleAggregateFunction(groupUniqArrayArray, Array(String))
        COMMENT 'Browser families' CODEC(ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, issue_key, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 128,
    min_bytes_for_wide_part = 100000000,
    min_compress_block_size = 8192,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by issue and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_issue_mv
TO reports_per_day_by_issue AS
SELECT
    tenant_id,
    report_type,
    site_id,
    issue_key,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    any(toString(issue_subject)) AS issue_subject,
    any(toString(issue_host)) AS issue_host,
    count() AS report_count,
    sum(weight) AS weight,
    countIf(noise) AS noise_count,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    uniqExactStateIf(cityHash64(cutQueryString(document_url)), document_url != '') AS pages,
    groupUniqArray(toString(browser_name)) AS browsers,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE has_issues)
GROUP BY tenant_id, report_type, site_id, issue_key, bucket;
