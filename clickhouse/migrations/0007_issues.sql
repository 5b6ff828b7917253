CREATE TABLE IF NOT EXISTS issues_day
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    issue_key       UInt64 COMMENT 'The issue' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    issue_subject   SimpleAggregateFunction(any, String) COMMENT 'What it is about; untrusted' CODEC(ZSTD(1)),
    issue_host      SimpleAggregateFunction(any, String)
        COMMENT 'Host it is about, empty when unknown; untrusted' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    noise_count     SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports that are noise' CODEC(T64, ZSTD(1)),
    first_seen      SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen       SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    pages           AggregateFunction(uniqExact, UInt64)
        COMMENT 'Distinct pages, by cityHash64 of the URL without query' CODEC(ZSTD(1)),
    browsers        SimpleAggregateFunction(groupUniqArrayArray, Array(String))
        COMMENT 'Browser families' CODEC(ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, issue_key, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    min_compress_block_size = 8192,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by issue and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS issues_day_view TO issues_day AS
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
    min(received_at) AS first_seen,
    max(received_at) AS last_seen,
    uniqExactStateIf(cityHash64(cutQueryString(document_url)), document_url != '') AS pages,
    groupUniqArray(toString(browser_name)) AS browsers,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN ('csp-violation', 'integrity-violation', 'coep', 'coop', 'permissions-policy-violation', 'document-policy-violation', 'connection-allowlist')
GROUP BY tenant_id, report_type, site_id, issue_key, bucket;
