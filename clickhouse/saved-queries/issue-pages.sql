-- Which pages send the reports of an issue, and with which browsers?
-- issue: id of the issue, 16 hexadecimal digits, as /v1/issues has it
-- tenant = \N: only this tenant, a UUID
-- days = 31: days up to now
SELECT
    cutQueryString(document_url) AS page,
    site_name,
    count() AS reports,
    round(sum(estimate)) AS estimated_reports,
    groupUniqArray(5)(browser_name) AS browsers,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at
FROM reports_named
WHERE issue_id = lower({issue:String})
  AND received_at >= now() - toIntervalDay({days:UInt32})
  AND ({tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)})
GROUP BY page, site_name
ORDER BY reports DESC, page
LIMIT 100;
