-- Alerts that the worker makes, the attempts to send them, and where they go. All are synced, as records are.
--
-- A message is one row, so that one insert has it whole; its id is of its subjects, so that a second pass makes the
-- same row. What is in alerts and not in alert_deliveries is still to be sent. The outcome of each is a record of
-- alert_deliveries, of which a worker that was killed can have left the insert in flight: of inserts with one
-- deduplication token, the id of the delivery, the first is stored.

CREATE TABLE IF NOT EXISTS alerts
(
    tenant_id       UUID COMMENT 'The tenant it is sent for',
    id              UUID COMMENT 'The alert: of its tenant, event and subjects',
    kind            LowCardinality(String) COMMENT 'immediate, digest or test',
    event_type      LowCardinality(String) COMMENT 'Event it is about, such as page.headers_changed; empty for several',
    site_id         Nullable(UUID) COMMENT 'The site it is about, NULL when it is about none or several',
    site_ids        Array(UUID) COMMENT 'The sites of a digest',
    subjects        Array(String) COMMENT 'Scans or issues it is about; each is in one alert of an event',
    summary         String COMMENT 'One line for people; untrusted',
    payload         String COMMENT 'JSON: the message as webhooks get it; untrusted' CODEC(ZSTD(1)),
    occurred_at     DateTime64(3, 'UTC') COMMENT 'When the earliest of its subjects was found',
    destinations    Array(String) COMMENT 'Where it is sent at once',
    digest_to       Array(String) COMMENT 'Destinations whose next digest has it',
    detected_at     DateTime64(3, 'UTC') COMMENT 'When it was made; of several rows the latest counts'
)
ENGINE = ReplacingMergeTree(detected_at)
ORDER BY (tenant_id, id)
TTL toDateTime(detected_at, 'UTC') + toIntervalDay(400)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Alerts, one row a message';

CREATE TABLE IF NOT EXISTS alert_attempts
(
    tenant_id       UUID COMMENT 'The tenant',
    alert_id        UUID COMMENT 'The alert',
    destination_id  String COMMENT 'Where it was sent',
    at              DateTime64(3, 'UTC') COMMENT 'When it was sent',
    failure         String COMMENT 'Why it failed, without any address; empty while it is in flight, or cut off',
    retry_at        DateTime64(3, 'UTC') COMMENT 'Earliest time of the next that the receiver asked for; 1970 for any',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, alert_id, destination_id, at)
TTL toDateTime(at, 'UTC') + toIntervalDay(7)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Attempts to send alerts, of the last week';

CREATE TABLE IF NOT EXISTS alert_destinations
(
    tenant_id       UUID COMMENT 'The tenant that added it',
    id              String COMMENT 'The destination, as rules and deliveries name it',
    name            String COMMENT 'Its name, for people',
    type            LowCardinality(String) COMMENT 'webhook, slack or email',
    sealed          String COMMENT 'Its address and secret, encrypted by SECRETS_KEY; empty when it was removed',
    removed         Bool COMMENT 'Whether it was removed; its alerts are dropped',
    created_at      DateTime64(3, 'UTC') COMMENT 'When it was added',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Where alerts are sent';

ALTER TABLE alert_deliveries MODIFY SETTING non_replicated_deduplication_window = 10000;
