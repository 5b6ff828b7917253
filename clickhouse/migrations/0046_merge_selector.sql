-- By default ClickHouse drops small parts from the end of a merge until two are left: the few rows of a block were
-- merged alone with all rows of a part below 5 MB. Now a merge takes five parts and more, and merges take half of the
-- processor time.

ALTER TABLE reports
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_by_time
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_hour_by_value
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_hour_by_value_time_ordered
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_value
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_hour_by_cube
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_cube
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_hour_by_cube_value
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_document_host_cube
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_blocked_host_cube
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_hosts
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_pair
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_issue
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE crashes_per_day_by_group
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE network_errors_per_day_by_group
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE browser_changes_per_day_by_page
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE browser_changes_per_day_by_entry
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_page
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_script
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE reports_per_day_by_source
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE issue_first_seen
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE script_versions
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
ALTER TABLE import_log_by_time
    MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
