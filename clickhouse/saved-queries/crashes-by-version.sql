-- Which browser versions crash, since when, and for which reasons?
-- tenant = \N: only this tenant, a UUID
-- days = 7: days up to now
SELECT
    tenant_name,
    browser_name,
    splitByChar('.', toString(browser_version))[1] AS major_version,
    count() AS crashes,
    round(sum(estimate)) AS estimated_crashes,
    groupUniqArray(5)(feature) AS reasons,
    uniq(cutQueryString(document_url)) AS pages,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at
FROM reports_named
WHERE report_type = 'crash'
  AND received_at >= now() - toIntervalDay({days:UInt32})
  AND ({tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)})
GROUP BY tenant_name, browser_name, major_version
ORDER BY crashes DESC
LIMIT 50;
