-- Issues: reports about the same thing, by day. The importer fills subject, host and noise; the key is the first half of
-- the MD5 of site, type, subject and host, and is the id the API answers.

ALTER TABLE reports
    ADD COLUMN IF NOT EXISTS issue_subject LowCardinality(String) COMMENT 'What its issue is about: a directive, feature, destination or policy' CODEC(ZSTD(1)) AFTER stack,
    ADD COLUMN IF NOT EXISTS issue_host LowCardinality(String) COMMENT 'Host its issue is about, empty when unknown' CODEC(ZSTD(1)) AFTER issue_subject,
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Caused by an extension, the browser itself or an injecting product' CODEC(ZSTD(1)) AFTER issue_host,
    ADD COLUMN IF NOT EXISTS issue_key UInt64 DEFAULT halfMD5(concat(toString(site_id), '\n', report_type, '\n', issue_subject, '\n', issue_host)) COMMENT 'The issue of a report whose type makes issues' CODEC(ZSTD(1)) AFTER noise;

CREATE TABLE IF NOT EXISTS issues_day
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    issue_key       UInt64 COMMENT 'The issue' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    issue_subject   SimpleAggregateFunction(any, String) COMMENT 'What it is about; untrusted' CODEC(ZSTD(1)),
    issue_host      SimpleAggregateFunction(any, String) COMMENT 'Host it is about, empty when unknown; untrusted' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64) COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    noise_count     SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports that are noise' CODEC(T64, ZSTD(1)),
    first_seen      SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen       SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    pages           AggregateFunction(uniqExact, UInt64) COMMENT 'Distinct pages, by cityHash64 of the URL without query' CODEC(ZSTD(1)),
    browsers        SimpleAggregateFunction(groupUniqArrayArray, Array(String)) COMMENT 'Browser families' CODEC(ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, issue_key, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
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
