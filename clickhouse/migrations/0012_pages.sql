-- Reports by page, by day, and which policy they quote: what a monitored page's pattern and a site's busiest pages are
-- looked up in. Policies that differ only in their nonces have one key.

ALTER TABLE reports
    ADD COLUMN IF NOT EXISTS policy_key UInt64 DEFAULT if(policy = '', 0, halfMD5(if(position(policy, '''nonce-') > 0, replaceRegexpAll(policy, '''nonce-[^'']*''', '''nonce-*'''), policy))) COMMENT 'The policy it quotes, nonces apart; 0 when it quotes none' CODEC(ZSTD(1)) AFTER request_origin;

CREATE TABLE IF NOT EXISTS pages_day
(
    tenant_id       UUID COMMENT 'The tenant',
    report_type     LowCardinality(String) COMMENT 'The report type',
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    page            String COMMENT 'The page without query, empty when unknown; untrusted' CODEC(ZSTD(1)),
    disposition     LowCardinality(String) COMMENT 'enforce, report, or empty',
    policy_key      UInt64 COMMENT 'The policy its reports quote, nonces apart; 0 when they quote none' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    first_seen      SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen       SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16) COMMENT 'Retention of the longest kept report' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, site_id, page, disposition, policy_key, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000
COMMENT 'Reports by page, policy and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_day_view TO pages_day AS
SELECT
    tenant_id,
    report_type,
    site_id,
    cutQueryString(document_url) AS page,
    disposition,
    policy_key,
    toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    count() AS report_count,
    min(received_at) AS first_seen,
    max(received_at) AS last_seen,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, site_id, page, disposition, policy_key, bucket;
