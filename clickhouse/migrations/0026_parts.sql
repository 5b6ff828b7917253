-- A question opens every part of the months it reads, so a month into which nothing was stored for a day becomes one part.

ALTER TABLE type_counts_minute MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE type_counts_hour MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE cube_value_counts_hour MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE cube_counts_hour MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE cube_counts_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE value_counts_hour_by_time MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE value_counts_hour_by_value MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE value_counts_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE pair_counts_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE blocked_counts_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE page_counts_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE host_counts_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE issues_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE crash_groups_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE browser_changes_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE browser_change_entries_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE network_error_groups_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE pages_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE scripts_day MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;

-- A page of issues reads a few rows in 50 places of each part, and unpacks a whole compressed block of each column there. Of
-- parts that are there, those that are merged or rebuilt become so.

ALTER TABLE issues_day MODIFY SETTING min_compress_block_size = 8192;
