-- Copies of scripts that the worker fetches: how many a site's day has had, and the URL with its query.
--
-- A script is known without its query, which its host can need to serve the bytes that a browser ran. The report has it
-- in request_url, unless it can be a visitor's secret; the latest is beside the version. A tuple is compared by its
-- time first, so that a fill changes nothing that it repeats.

ALTER TABLE reports
    MODIFY COLUMN request_url
        COMMENT 'Network error: the request that failed; sighting of a script: its URL if it has a query; untrusted';

ALTER TABLE script_versions
    ADD COLUMN IF NOT EXISTS latest_request SimpleAggregateFunction(max, Tuple(DateTime64(3, 'UTC'), String))
        COMMENT 'Its last report, and its URL there if that has a query that is no secret; untrusted' CODEC(ZSTD(1));
ALTER TABLE script_versions_mv MODIFY QUERY
SELECT
    tenant_id,
    site_id,
    script_url,
    script_hash,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    max((received_at, request_url)) AS latest_request
FROM reports
WHERE report_type = 'csp-hash' AND script_url != ''
GROUP BY tenant_id, site_id, script_url, script_hash;

ALTER TABLE script_captures
    ADD COLUMN IF NOT EXISTS attempted_at DateTime64(3, 'UTC')
        COMMENT 'When its fetch began; 1970 where none was made, or it is not known' AFTER reused;
