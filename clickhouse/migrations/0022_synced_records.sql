-- Records are few, and evidence: an insert of one is on the disk, with its name, when it is acknowledged, and so is
-- what a merge makes of it. Reports and rollups are not synced: after a power cut they are stored again.

ALTER TABLE tenants
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE sites
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE api_keys
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE retired_tokens
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE monitored_pages
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE page_scans
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE script_decisions
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE script_captures
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE library_files
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE library_advisories
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE alert_rules
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
ALTER TABLE alert_deliveries
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
