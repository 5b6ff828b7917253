-- Reports by the host of the page or the blocked host. Their rows grow with the number of hosts.
--
-- The pairs of reports_per_day_by_pair are listed in queries/rollups/select-rollup.ts, too.

CREATE TABLE IF NOT EXISTS reports_per_day_by_document_host_cube
(
    tenant_id           UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type         LowCardinality(String) COMMENT 'The report type',
    bucket              DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    site_id             UUID COMMENT 'The site' CODEC(ZSTD(1)),
    document_host       LowCardinality(String) COMMENT 'Host of the page; untrusted' CODEC(ZSTD(1)),
    directive           LowCardinality(String) COMMENT 'Effective CSP directive; untrusted' CODEC(ZSTD(1)),
    disposition         LowCardinality(String) COMMENT 'enforce, report, or empty' CODEC(ZSTD(1)),
    browser_name        LowCardinality(String) COMMENT 'Browser family' CODEC(ZSTD(1)),
    os_name             LowCardinality(String) COMMENT 'Operating system' CODEC(ZSTD(1)),
    device_type         LowCardinality(String) COMMENT 'desktop, mobile, tablet or unknown' CODEC(ZSTD(1)),
    feature             LowCardinality(String)
        COMMENT 'Policy-controlled feature, API, error type or crash reason; untrusted' CODEC(ZSTD(1)),
    destination         LowCardinality(String) COMMENT 'Request destination; untrusted' CODEC(ZSTD(1)),
    effective_policy    LowCardinality(String) COMMENT 'Cross-origin opener policy in effect; untrusted' CODEC(ZSTD(1)),
    report_count        SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight              SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at       SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at        SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
        COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days      SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (
    tenant_id, report_type, bucket, site_id, document_host, directive, disposition, browser_name, os_name,
    device_type, feature, destination, effective_policy
)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, day, site, host of the page and all low-cardinality dimensions';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_document_host_cube_mv
TO reports_per_day_by_document_host_cube AS
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    site_id, document_host,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
GROUP BY
    tenant_id, report_type, bucket, site_id, document_host, directive, disposition, browser_name, os_name,
    device_type, feature, destination, effective_policy;

CREATE TABLE IF NOT EXISTS reports_per_day_by_blocked_host_cube
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    blocked_host    LowCardinality(String)
        COMMENT 'Host of blocked_url, or its keyword or scheme; untrusted' CODEC(ZSTD(1)),
    directive       LowCardinality(String) COMMENT 'Effective CSP directive; untrusted' CODEC(ZSTD(1)),
    disposition     LowCardinality(String) COMMENT 'enforce, report, or empty' CODEC(ZSTD(1)),
    browser_name    LowCardinality(String) COMMENT 'Browser family' CODEC(ZSTD(1)),
    os_name         LowCardinality(String) COMMENT 'Operating system' CODEC(ZSTD(1)),
    device_type     LowCardinality(String) COMMENT 'desktop, mobile, tablet or unknown' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, blocked_host, directive, disposition, browser_name, os_name, device_type)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'CSP violations by day, blocked host and all their low-cardinality dimensions';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_blocked_host_cube_mv
TO reports_per_day_by_blocked_host_cube AS
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    blocked_host,
    directive, disposition, browser_name, os_name, device_type,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE has(dimensions, 'blockedHost'))
GROUP BY tenant_id, report_type, bucket, blocked_host, directive, disposition, browser_name, os_name, device_type;

CREATE TABLE IF NOT EXISTS reports_per_day_by_hosts
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    site_id         UUID COMMENT 'The site' CODEC(ZSTD(1)),
    document_host   LowCardinality(String) COMMENT 'Host of the page; untrusted' CODEC(ZSTD(1)),
    directive       LowCardinality(String) COMMENT 'Effective CSP directive; untrusted' CODEC(ZSTD(1)),
    blocked_host    LowCardinality(String)
        COMMENT 'Host of blocked_url, or its keyword or scheme; untrusted' CODEC(ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, bucket, site_id, document_host, directive, blocked_host)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'CSP violations by day, site, host of the page, directive and blocked host';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_hosts_mv
TO reports_per_day_by_hosts AS
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
    site_id, document_host, directive, blocked_host,
    count() AS report_count,
    sum(weight) AS weight,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE has(dimensions, 'blockedHost'))
GROUP BY tenant_id, report_type, bucket, site_id, document_host, directive, blocked_host;

CREATE TABLE IF NOT EXISTS reports_per_day_by_pair
(
    tenant_id       UUID COMMENT 'The tenant' CODEC(ZSTD(1)),
    report_type     LowCardinality(String) COMMENT 'The report type',
    dimensions      LowCardinality(String) COMMENT 'The two dimensions by their parameter names, a comma between them',
    value           LowCardinality(String)
        COMMENT 'Value of the first, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    other_value     LowCardinality(String)
        COMMENT 'Value of the second, empty where the report has none; untrusted' CODEC(ZSTD(1)),
    bucket          DateTime('UTC') COMMENT 'Start of the day of received_at' CODEC(DoubleDelta, ZSTD(1)),
    report_count    SimpleAggregateFunction(sum, UInt64) COMMENT 'Reports' CODEC(T64, ZSTD(1)),
    weight          SimpleAggregateFunction(sum, UInt64)
        COMMENT 'Sum of their weights, in millionths' CODEC(T64, ZSTD(1)),
    first_seen_at   SimpleAggregateFunction(min, DateTime64(3, 'UTC'))
        COMMENT 'Earliest received_at' CODEC(T64, ZSTD(1)),
    last_seen_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Latest received_at' CODEC(T64, ZSTD(1)),
    retention_days  SimpleAggregateFunction(max, UInt16)
        COMMENT 'Longest retention of its reports, in days' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, report_type, dimensions, value, other_value, bucket)
TTL toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS
    index_granularity = 1024,
    non_replicated_deduplication_window = 10000,
    min_age_to_force_merge_seconds = 86400,
    min_age_to_force_merge_on_partition_only = 1
COMMENT 'Reports by type, values of two dimensions, and day';

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_pair_mv
TO reports_per_day_by_pair AS
SELECT
    tenant_id,
    report_type,
    pair.1 AS dimensions,
    pair.2 AS value,
    pair.3 AS other_value,
    bucket,
    sum(report_count) AS report_count,
    sum(weight) AS weight,
    min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports_per_day_by_hosts
ARRAY JOIN [
    ('siteId,directive', toString(site_id), toString(directive)),
    ('siteId,blockedHost', toString(site_id), toString(blocked_host)),
    ('directive,blockedHost', toString(directive), toString(blocked_host))
] AS pair
GROUP BY tenant_id, report_type, dimensions, value, other_value, bucket;
