-- Which hosts are blocked since yesterday, and were not in the month before?
-- tenant = \N: only this tenant, a UUID
-- days = 1: days up to now in which a host is new
SELECT
    tenant_name,
    blocked_host,
    groupUniqArray(5)(directive) AS directives,
    groupUniqArray(5)(site_name) AS sites,
    count() AS reports,
    round(sum(estimate)) AS estimated_reports,
    min(received_at) AS first_seen_at
FROM reports_named
WHERE report_type = 'csp-violation'
  AND received_at >= now() - toIntervalDay({days:UInt32} + 30)
  AND blocked_host != ''
  AND ({tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)})
GROUP BY tenant_name, blocked_host
HAVING first_seen_at >= now() - toIntervalDay({days:UInt32})
ORDER BY reports DESC
LIMIT 50;
