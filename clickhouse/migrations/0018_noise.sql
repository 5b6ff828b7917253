-- Whether a rollup's reports are noise, as the last column of each sorting key: a filter of noise reads the same rollup
-- as no filter. Noise mostly follows the blocked host, so few rows become two.

ALTER TABLE reports_by_time
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER report_type,
    MODIFY ORDER BY (tenant_id, grain, bucket, report_type, noise);
ALTER TABLE reports_by_time_hour_mv MODIFY QUERY
SELECT
    tenant_id, 'hour' AS grain, toDateTime64(toStartOfHour(toDateTime(received_at, 'UTC')), 3, 'UTC') AS bucket,
    report_type, noise,
    count() AS report_count, sum(weight) AS weight, max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, bucket, report_type, noise;

ALTER TABLE reports_by_time_minute_mv MODIFY QUERY
SELECT
    tenant_id, 'minute' AS grain, toDateTime64(toStartOfMinute(toDateTime(received_at, 'UTC')), 3, 'UTC') AS bucket,
    report_type, noise, count() AS report_count, sum(weight) AS weight, max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, bucket, report_type, noise;

ALTER TABLE reports_by_time_millisecond_mv MODIFY QUERY
SELECT
    tenant_id, 'millisecond' AS grain, received_at AS bucket, report_type, noise,
    1 AS report_count, weight, retention_days
FROM reports;

ALTER TABLE reports_per_hour_by_value_time_ordered
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER value,
    MODIFY ORDER BY (tenant_id, report_type, dimension, bucket, value, noise);
ALTER TABLE reports_per_hour_by_value_time_ordered_mv MODIFY QUERY
SELECT
    tenant_id, report_type, pair.1 AS dimension, toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket,
    pair.2 AS value, noise,
    count() AS report_count, sum(weight) AS weight, min(received_at) AS first_seen_at, max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
ARRAY JOIN [
    ('siteId', toString(site_id)),
    ('documentHost', toString(document_host)),
    ('blockedHost', toString(blocked_host)),
    ('blockedUrl', blocked_url),
    ('blockedOrigin', toString(blocked_origin)),
    ('otherOrigin', toString(other_origin)),
    ('sourceFile', source_file)
] AS pair
WHERE (report_type, dimension) IN (SELECT report_type, arrayJoin(dimensions) FROM report_types FINAL)
GROUP BY tenant_id, report_type, dimension, bucket, value, noise;

ALTER TABLE reports_per_hour_by_value
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER bucket,
    MODIFY ORDER BY (tenant_id, report_type, dimension, value, bucket, noise);
ALTER TABLE reports_per_hour_by_value_mv MODIFY QUERY
SELECT tenant_id, report_type, dimension, value, bucket, noise, report_count, weight, retention_days
FROM reports_per_hour_by_value_time_ordered;

ALTER TABLE reports_per_day_by_value
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER bucket,
    MODIFY ORDER BY (tenant_id, report_type, dimension, value, bucket, noise);
ALTER TABLE reports_per_day_by_value_mv MODIFY QUERY
SELECT
    tenant_id, report_type, dimension, value, toStartOfDay(bucket) AS bucket, noise,
    sum(report_count) AS report_count, sum(weight) AS weight, min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at, max(retention_days) AS retention_days
FROM reports_per_hour_by_value_time_ordered
GROUP BY tenant_id, report_type, dimension, value, bucket, noise;

ALTER TABLE reports_per_hour_by_cube
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER effective_policy,
    MODIFY ORDER BY (
        tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature,
        destination, effective_policy, noise
    );
ALTER TABLE reports_per_hour_by_cube_mv MODIFY QUERY
SELECT
    tenant_id, report_type, toStartOfHour(toDateTime(received_at, 'UTC')) AS bucket,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy, noise,
    count() AS report_count, sum(weight) AS weight, min(received_at) AS first_seen_at, max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature,
    destination, effective_policy, noise;

ALTER TABLE reports_per_hour_by_cube_value
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER bucket,
    MODIFY ORDER BY (tenant_id, report_type, dimension, value, bucket, noise);
ALTER TABLE reports_per_hour_by_cube_value_mv MODIFY QUERY
SELECT
    tenant_id, report_type, pair.1 AS dimension, pair.2 AS value, bucket, noise,
    sum(report_count) AS report_count, sum(weight) AS weight, min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at, max(retention_days) AS retention_days
FROM reports_per_hour_by_cube
ARRAY JOIN [
    ('directive', toString(directive)),
    ('disposition', toString(disposition)),
    ('browserName', toString(browser_name)),
    ('osName', toString(os_name)),
    ('deviceType', toString(device_type)),
    ('feature', toString(feature)),
    ('destination', toString(destination)),
    ('effectivePolicy', toString(effective_policy))
] AS pair
WHERE (report_type, dimension) IN (SELECT report_type, arrayJoin(dimensions) FROM report_types FINAL)
GROUP BY tenant_id, report_type, dimension, value, bucket, noise;

ALTER TABLE reports_per_day_by_cube
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER effective_policy,
    MODIFY ORDER BY (
        tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature,
        destination, effective_policy, noise
    );
ALTER TABLE reports_per_day_by_cube_mv MODIFY QUERY
SELECT
    tenant_id, report_type, toStartOfDay(bucket) AS bucket,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy, noise,
    sum(report_count) AS report_count, sum(weight) AS weight, min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at, max(retention_days) AS retention_days
FROM reports_per_hour_by_cube
GROUP BY tenant_id, report_type, bucket, directive, disposition, browser_name, os_name, device_type, feature,
    destination, effective_policy, noise;

ALTER TABLE reports_per_day_by_document_host_cube
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER effective_policy,
    MODIFY ORDER BY (
        tenant_id, report_type, bucket, site_id, document_host, directive, disposition, browser_name, os_name,
        device_type, feature, destination, effective_policy, noise
    );
ALTER TABLE reports_per_day_by_document_host_cube_mv MODIFY QUERY
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket, site_id, document_host,
    directive, disposition, browser_name, os_name, device_type, feature, destination, effective_policy, noise,
    count() AS report_count, sum(weight) AS weight, min(received_at) AS first_seen_at, max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
GROUP BY tenant_id, report_type, bucket, site_id, document_host, directive, disposition, browser_name, os_name,
    device_type, feature, destination, effective_policy, noise;

ALTER TABLE reports_per_day_by_blocked_host_cube
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER device_type,
    MODIFY ORDER BY (
        tenant_id, report_type, bucket, blocked_host, directive, disposition, browser_name, os_name, device_type,
        noise
    );
ALTER TABLE reports_per_day_by_blocked_host_cube_mv MODIFY QUERY
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket, blocked_host,
    directive, disposition, browser_name, os_name, device_type, noise,
    count() AS report_count, sum(weight) AS weight, min(received_at) AS first_seen_at, max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE has(dimensions, 'blockedHost'))
GROUP BY tenant_id, report_type, bucket, blocked_host, directive, disposition, browser_name, os_name, device_type,
    noise;

ALTER TABLE reports_per_day_by_hosts
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER blocked_host,
    MODIFY ORDER BY (tenant_id, report_type, bucket, site_id, document_host, directive, blocked_host, noise);
ALTER TABLE reports_per_day_by_hosts_mv MODIFY QUERY
SELECT
    tenant_id, report_type, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket, site_id, document_host, directive,
    blocked_host, noise,
    count() AS report_count, sum(weight) AS weight, min(received_at) AS first_seen_at, max(received_at) AS last_seen_at,
    max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE has(dimensions, 'blockedHost'))
GROUP BY tenant_id, report_type, bucket, site_id, document_host, directive, blocked_host, noise;

ALTER TABLE reports_per_day_by_pair
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER bucket,
    MODIFY ORDER BY (tenant_id, report_type, dimensions, value, other_value, bucket, noise);
ALTER TABLE reports_per_day_by_pair_mv MODIFY QUERY
SELECT
    tenant_id, report_type, pair.1 AS dimensions, pair.2 AS value, pair.3 AS other_value, bucket, noise,
    sum(report_count) AS report_count, sum(weight) AS weight, min(first_seen_at) AS first_seen_at,
    max(last_seen_at) AS last_seen_at, max(retention_days) AS retention_days
FROM reports_per_day_by_hosts
ARRAY JOIN [
    ('siteId,directive', toString(site_id), toString(directive)),
    ('siteId,blockedHost', toString(site_id), toString(blocked_host)),
    ('directive,blockedHost', toString(directive), toString(blocked_host))
] AS pair
GROUP BY tenant_id, report_type, dimensions, value, other_value, bucket, noise;

ALTER TABLE reports_per_day_by_issue
    ADD COLUMN IF NOT EXISTS noise Bool COMMENT 'Whether its reports are noise' CODEC(ZSTD(1)) AFTER bucket,
    MODIFY ORDER BY (tenant_id, report_type, site_id, issue_key, bucket, noise);
ALTER TABLE reports_per_day_by_issue_mv MODIFY QUERY
SELECT
    tenant_id, report_type, site_id, issue_key, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket, noise,
    any(toString(issue_subject)) AS issue_subject, any(toString(issue_host)) AS issue_host,
    count() AS report_count, sum(weight) AS weight, countIf(noise) AS noise_count, min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    uniqExactStateIf(cityHash64(cutQueryString(document_url)), document_url != '') AS pages,
    groupUniqArray(toString(browser_name)) AS browsers, max(retention_days) AS retention_days
FROM reports
WHERE report_type IN (SELECT report_type FROM report_types FINAL WHERE has_issues)
GROUP BY tenant_id, report_type, site_id, issue_key, bucket, noise;
