-- What each 1,024 reports hold of the columns with many values, so that a rare value is found, and a missing one missed,
-- without reading the window. Parts that are there already get theirs in the background.

ALTER TABLE reports
    ADD INDEX IF NOT EXISTS site_id_values site_id TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS document_host_values document_host TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS blocked_host_values blocked_host TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS blocked_url_values blocked_url TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS blocked_origin_values blocked_origin TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS other_origin_values other_origin TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS source_file_values source_file TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS issue_key_values issue_key TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE reports
    MATERIALIZE INDEX site_id_values,
    MATERIALIZE INDEX document_host_values,
    MATERIALIZE INDEX blocked_host_values,
    MATERIALIZE INDEX blocked_url_values,
    MATERIALIZE INDEX blocked_origin_values,
    MATERIALIZE INDEX other_origin_values,
    MATERIALIZE INDEX source_file_values,
    MATERIALIZE INDEX issue_key_values;
