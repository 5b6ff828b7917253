-- Which share of each site's issue reports is noise of extensions, browsers and injecting products?
-- tenant = \N: only this tenant, a UUID
-- days = 7: days up to now, whole ones
SELECT
    tenant_name,
    site_name,
    sum(report_count) AS reports,
    sum(noise_count) AS noise_reports,
    round(100 * noise_reports / reports, 1) AS noise_percent,
    uniqIf(issue_id, noise) AS noise_issues
FROM issues_per_day_named
WHERE day >= today() - {days:UInt32}
  AND ({tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)})
GROUP BY tenant_name, site_name
ORDER BY noise_percent DESC
LIMIT 100;
