-- At most one TTL merge of a month in 14 days instead of one in 4 hours: it rewrites all rows of a part to remove those
-- of a day. Expired rows stay on the disk until then, and no response has them.

ALTER TABLE reports MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_by_time MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_hour_by_value MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_hour_by_value_time_ordered MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_value MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_hour_by_cube MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_cube MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_hour_by_cube_value MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_document_host_cube MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_blocked_host_cube MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_hosts MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_pair MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_issue MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE crashes_per_day_by_group MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE network_errors_per_day_by_group MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE browser_changes_per_day_by_page MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE browser_changes_per_day_by_entry MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_page MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_script MODIFY SETTING merge_with_ttl_timeout = 1209600;
ALTER TABLE reports_per_day_by_source MODIFY SETTING merge_with_ttl_timeout = 1209600;
