-- How far behind collectors are: their logs on disk hold reports that were accepted and are not stored yet.

CREATE TABLE IF NOT EXISTS collector_logs
(
    id          UUID COMMENT 'The log, by its folder',
    host        String COMMENT 'Host of the collector, for people',
    oldest_at   Nullable(DateTime64(3, 'UTC'))
        COMMENT 'When the oldest report that is not stored was received; null if all are',
    recorded_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(recorded_at)
ORDER BY id
TTL toDateTime(recorded_at, 'UTC') + toIntervalDay(1)
COMMENT 'Oldest report that waits in the log of each collector which was over 10 s behind';
