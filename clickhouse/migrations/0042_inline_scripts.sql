-- Inline scripts of scans, which are compared like scripts with a source. Scans without a list are a baseline.

ALTER TABLE page_scans
    ADD COLUMN IF NOT EXISTS inline_hashes Array(String)
        COMMENT 'Hash of each inline script, without repeats; untrusted' CODEC(ZSTD(1)) AFTER scripts_listed,
    ADD COLUMN IF NOT EXISTS inline_samples Array(String)
        COMMENT 'Start of each inline script; untrusted' CODEC(ZSTD(1)) AFTER inline_hashes,
    ADD COLUMN IF NOT EXISTS inline_listed Bool
        COMMENT 'Whether the scan lists inline scripts, an empty list included' AFTER inline_samples;

ALTER TABLE page_scans_history
    ADD COLUMN IF NOT EXISTS inline_hashes Array(String)
        COMMENT 'Hash of each inline script, without repeats; untrusted' CODEC(ZSTD(1)) AFTER scripts_listed,
    ADD COLUMN IF NOT EXISTS inline_samples Array(String)
        COMMENT 'Start of each inline script; untrusted' CODEC(ZSTD(1)) AFTER inline_hashes,
    ADD COLUMN IF NOT EXISTS inline_listed Bool
        COMMENT 'Whether the scan lists inline scripts, an empty list included' AFTER inline_samples;
ALTER TABLE page_scans_history_mv MODIFY QUERY
SELECT tenant_id, page_id, scanned_at, id, status, failure_reason, failure_message, rubric_version, grade, score,
    scan_url, final_url, status_code, headers, headers_key, script_urls, script_hashes, script_integrity,
    scripts_listed, inline_hashes, inline_samples, inline_listed, updated_at
FROM page_scans;
