-- CSP violations by what a policy's verdict on them depends on: directive, origin, its relation to the page, path.
--
-- self and page_scheme replace the page's host: they are all that 'self' and hosts without a scheme need, and rows do
-- not multiply by hosts. detail has three segments of a path, because paths with ids would multiply them.

CREATE TABLE IF NOT EXISTS reports_per_day_by_source
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'csp-violation',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    directive       LowCardinality(String) COMMENT 'Effective CSP directive; untrusted' CODEC(ZSTD(1)),
    source          LowCardinality(String)
        COMMENT 'Origin of the blocked URL, or its keyword or scheme; untrusted' CODEC(ZSTD(1)),
    self            LowCardinality(String)
        COMMENT 'Relation of the source to the page: origin, upgrade, other, or empty when unknown' CODEC(ZSTD(1)),
    page_scheme     LowCardinality(String) COMMENT 'http, https, or empty when unknown' CODEC(ZSTD(1)),
    disposition     LowCardinality(String) COMMENT 'enforce, report, or empty' CODEC(ZSTD(1)),
    policy_key      UInt64 COMMENT 'The policy its reports quote, nonces apart; 0 when they quote none' CODEC(ZSTD(1)),
    detail          String
        COMMENT 'Three path segments of a URL, empty without a path; the sample of a keyword; untrusted' CODEC(ZSTD(1)),
    is_detail_cut   Bool COMMENT 'Whether the path or sample is longer than detail' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    noise_count     SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports that are noise' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (
    tenant_id, report_type, site_id, bucket, directive, source, self, page_scheme, disposition, policy_key, detail,
    is_detail_cut
)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'CSP violations by day, directive, source, relation to the page, policy and path';

-- queries/csp-policies/csp-source-columns.ts has the same expressions, for the edges of windows.
CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_source_mv
TO reports_per_day_by_source AS
WITH
    lower(extract(document_url, '^\\s*([a-zA-Z][a-zA-Z0-9+.-]*):')) AS scheme,
    extract(document_url, '^\\s*[a-zA-Z][a-zA-Z0-9+.-]*:[/\\\\]*([^/\\\\?#]*)') AS authority,
    extract(blocked_origin, '^([a-z]+):') AS blocked_scheme,
    transform(scheme, ['http', 'https'], [80, 443], 0) AS own_port,
    transform(blocked_scheme, ['http', 'https', 'ws', 'wss'], [80, 443, 80, 443], 0) AS blocked_own_port,
    toUInt32OrZero(extract(authority, ':([0-9]{1,6})$')) AS written_port,
    toUInt32OrZero(extract(blocked_origin, ':([0-9]{1,6})$')) AS blocked_written_port,
    if(written_port = 0, own_port, written_port) AS port,
    if(blocked_written_port = 0, blocked_own_port, blocked_written_port) AS blocked_port,
    blocked_scheme IN ('https', 'wss') OR (scheme = 'http' AND blocked_scheme = 'ws') AS is_secure,
    port = blocked_port OR (port = own_port AND blocked_port = blocked_own_port) AS is_same_port,
    if(blocked_origin = '', sample, extract(blocked_url, '^[^:/?#]*://[^/?#]*(/[^?#]*)')) AS full_detail,
    if(blocked_origin = '', sample, extract(full_detail, '^((?:/[^/]*){0,3}/?)')) AS start_of_detail
SELECT
    tenant_id,
    report_type,
    site_id,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    directive,
    if(blocked_origin = '', blocked_host, blocked_origin) AS source,
    multiIf(
        document_host = '' OR blocked_origin = '', '',
        document_host != blocked_host, 'other',
        scheme = blocked_scheme AND port = blocked_port, 'origin',
        is_secure AND is_same_port, 'upgrade',
        'other'
    ) AS self,
    if(document_host != '' AND scheme IN ('http', 'https'), scheme, '') AS page_scheme,
    disposition,
    policy_key,
    substringUTF8(start_of_detail, 1, 100) AS detail,
    detail != full_detail AS is_detail_cut,
    count() AS report_count,
    sum(weight) AS weight,
    countIf(noise) AS noise_count,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type = 'csp-violation'
GROUP BY
    tenant_id, report_type, site_id, bucket, directive, source, self, page_scheme, disposition, policy_key, detail,
    is_detail_cut;
