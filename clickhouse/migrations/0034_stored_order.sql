-- The order of storing, which exports resume in. A row's bytes are fixed when it is received, so its insert adds the
-- time.
--
-- Reports of an earlier release count as stored when they were received. The update writes that into their parts,
-- because a missing value would follow the default; repeated, it changes nothing. An index by granules finds the latest
-- rows.

ALTER TABLE reports
    ADD COLUMN IF NOT EXISTS stored_at DateTime64(3, 'UTC') DEFAULT received_at
        COMMENT 'When its insert began; its place in the order of storing' CODEC(DoubleDelta, ZSTD(1)),
    ADD INDEX IF NOT EXISTS stored_at_range stored_at TYPE minmax GRANULARITY 1;
ALTER TABLE reports UPDATE stored_at = stored_at WHERE true SETTINGS mutations_sync = 2;
ALTER TABLE reports MODIFY COLUMN stored_at DEFAULT now64(3);
