-- An import that was cut off is known again by what it sent last, in every table, however many others have imported
-- meanwhile: up to 10,000 parts instead of 1,000.

ALTER TABLE reports MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE issues_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE crash_groups_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE browser_changes_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE network_error_groups_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE pages_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE scripts_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE script_versions MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE type_counts_minute MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE type_counts_hour MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE value_counts_hour MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE value_counts_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE cube_counts_hour MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE cube_counts_day MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE cube_value_counts_hour MODIFY SETTING non_replicated_deduplication_window = 10000;
ALTER TABLE pair_counts_day MODIFY SETTING non_replicated_deduplication_window = 10000;
