-- Which APIs that pages still use have browsers removed, or will they remove soon?
-- tenant = \N: only this tenant, a UUID
-- within_days = 180: days from now within which the removal is announced
-- days = 31: days up to now in which pages used them
SELECT
    tenant_name,
    feature,
    max(anticipated_removal_at) AS removal_at,
    dateDiff('day', now(), removal_at) AS days_left,
    count() AS reports,
    round(sum(estimate)) AS estimated_reports,
    uniq(cutQueryString(document_url)) AS pages,
    groupUniqArray(3)(source_file) AS source_files,
    groupUniqArray(5)(browser_name) AS browsers
FROM reports_named
WHERE report_type = 'deprecation'
  AND received_at >= now() - toIntervalDay({days:UInt32})
  AND ({tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)})
GROUP BY tenant_name, feature
HAVING removal_at <= now() + toIntervalDay({within_days:UInt32})
ORDER BY removal_at, reports DESC
LIMIT 50;
