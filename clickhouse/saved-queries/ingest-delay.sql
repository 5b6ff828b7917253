-- How late do reports arrive, and how old is the newest one of each tenant?
-- tenant = \N: only this tenant, a UUID
-- hours = 168: hours up to now
SELECT
    tenant_name,
    count() AS reports,
    -- Until the receipt; the collector stores a report 0.5 to 6 s after it.
    round(quantile(0.5)(age_ms) / 1000, 1) AS median_delay_s,
    round(quantile(0.95)(age_ms) / 1000, 1) AS p95_delay_s,
    round(quantile(0.99)(age_ms) / 1000, 1) AS p99_delay_s,
    max(received_at) AS newest_at,
    dateDiff('second', newest_at, now64(3)) AS newest_age_s
FROM reports_named
WHERE received_at >= now() - toIntervalHour({hours:UInt32})
  AND ({tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)})
GROUP BY tenant_name, tenant_id
ORDER BY newest_at
LIMIT 100;
