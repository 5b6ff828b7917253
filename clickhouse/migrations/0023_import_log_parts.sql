-- What doctor and a repeated import find lost rows by: the latest report of each part that an insert made, as a power
-- cut takes whole parts and this report expires last. The start of the machine says what a cut can have taken.

ALTER TABLE import_log
    ADD COLUMN IF NOT EXISTS boot String
        COMMENT 'Start of ClickHouse''s machine, its second or its id; empty where it was not known',
    ADD COLUMN IF NOT EXISTS parts Array(Tuple(
        report_type String,
        site_id UUID,
        received_at DateTime64(3, 'UTC'),
        id UUID,
        reports UInt32
    ))
        COMMENT 'Latest report of each part that its inserts made, and how many reports the part had; empty until done';
ALTER TABLE import_log
    MODIFY COLUMN state COMMENT 'started, or restoring for rows that can be lost; then done in a row of its own';
ALTER TABLE import_log
    MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
