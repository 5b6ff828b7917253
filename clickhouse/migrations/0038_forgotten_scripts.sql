-- Sightings of scripts that a person took out of the inventory. A report as of an earlier time reads them too, so that
-- it does not change.

CREATE TABLE IF NOT EXISTS script_versions_forgotten
(
    tenant_id       UUID COMMENT 'The tenant',
    site_id         UUID COMMENT 'The site',
    script_url      String COMMENT 'The script, without query; untrusted',
    script_hash     String COMMENT 'Its hash, empty when unhashed',
    first_seen_at   DateTime64(3, 'UTC') COMMENT 'When a browser first reported it',
    last_seen_at    DateTime64(3, 'UTC') COMMENT 'When a browser last reported it',
    latest_request  Tuple(DateTime64(3, 'UTC'), String) COMMENT 'Its last report, and its URL there; untrusted',
    forgotten_at    DateTime64(3, 'UTC') COMMENT 'When it was taken out'
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, site_id, script_url, script_hash, forgotten_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Sightings of scripts that were taken out of the inventory';

ALTER TABLE report_deletions
    ADD COLUMN IF NOT EXISTS sightings UInt64
        COMMENT 'Versions of a script whose sightings were taken out' AFTER counts,
    ADD COLUMN IF NOT EXISTS reason String
        COMMENT 'Why, for people; empty when there is none' AFTER deleted_by;
