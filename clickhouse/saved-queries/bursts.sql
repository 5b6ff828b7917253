-- Which directive blocks which host more often than the week before?
-- tenant = \N: only this tenant, a UUID
-- hours = 24: hours up to now that are compared with the week before them
SELECT
    tenant_name,
    directive,
    blocked_host,
    countIf(received_at >= now() - toIntervalHour({hours:UInt32})) AS reports,
    round(countIf(received_at < now() - toIntervalHour({hours:UInt32})) * {hours:UInt32} / 168, 1) AS usual_reports,
    uniqIf(document_url, received_at >= now() - toIntervalHour({hours:UInt32})) AS urls,
    min(received_at) AS first_seen_at
FROM reports_named
WHERE report_type = 'csp-violation'
  AND received_at >= now() - toIntervalHour({hours:UInt32} + 168)
  AND ({tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)})
GROUP BY tenant_name, directive, blocked_host
HAVING reports > 0
ORDER BY reports - usual_reports DESC
LIMIT 20;
