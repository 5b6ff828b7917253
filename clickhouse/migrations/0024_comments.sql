-- A table made like a finer one took over what that says of its buckets.

ALTER TABLE type_counts_hour COMMENT COLUMN bucket 'Start of the hour of received_at';
ALTER TABLE cube_counts_day COMMENT COLUMN bucket 'Start of the day of received_at';
ALTER TABLE value_counts_day COMMENT COLUMN bucket 'Start of the day of received_at';
