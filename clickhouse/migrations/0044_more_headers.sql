-- Headers of scans that are compared beside the watched ones. Scans without them are a baseline.

ALTER TABLE page_scans
    ADD COLUMN IF NOT EXISTS more_headers Map(LowCardinality(String), String)
        COMMENT 'Further headers in comparable form, empty if not sent; untrusted' CODEC(ZSTD(1)) AFTER headers,
    MODIFY COLUMN headers_key UInt64 DEFAULT halfMD5(toString((headers, more_headers)))
        COMMENT 'Hash of both kinds of headers, to compare scans by' CODEC(ZSTD(1));

ALTER TABLE page_scans_history
    ADD COLUMN IF NOT EXISTS more_headers Map(LowCardinality(String), String)
        COMMENT 'Further headers in comparable form, empty if not sent; untrusted' CODEC(ZSTD(1)) AFTER headers;
ALTER TABLE page_scans_history_mv MODIFY QUERY
SELECT tenant_id, page_id, scanned_at, id, status, failure_reason, failure_message, rubric_version, grade, score,
    scan_url, final_url, status_code, headers, more_headers, headers_key, script_urls, script_hashes, script_integrity,
    scripts_listed, inline_hashes, inline_samples, inline_listed, updated_at
FROM page_scans;
