-- Which tenants have most reports, and about how many bytes do they take with their rollups?
-- days = 31: days up to now
WITH (
    SELECT sum(bytes_on_disk) / greatest(sumIf(rows, table = 'reports'), 1)
    FROM system.parts
    WHERE active
      AND database = currentDatabase()
) AS bytes_per_report
SELECT
    tenant_name,
    tenant_id,
    sum(report_count) AS reports,
    round(sum(estimate)) AS estimated_reports,
    round(reports / {days:UInt32}) AS reports_a_day,
    formatReadableSize(reports * bytes_per_report) AS about_bytes
FROM reports_per_hour_named
WHERE hour >= now() - toIntervalDay({days:UInt32})
GROUP BY tenant_name, tenant_id
ORDER BY reports DESC
LIMIT 100;
