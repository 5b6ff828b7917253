-- Import log: an interrupted import resumes from it and sends a started batch again unchanged. Ordered by time it
-- gives the version of a tenant's data, at the cost of one lookup however long the log is.
-- Leases let one import of reports a tenant run at a time.

CREATE TABLE IF NOT EXISTS import_log
(
    tenant_id       UUID COMMENT 'The tenant the batch was imported for',
    previous_token  String COMMENT 'Token of the batch before it in the file',
    token           String COMMENT 'Chained SHA-256 of the file up to the end of the batch',
    hosts           Array(String)
        COMMENT 'Host patterns of the tenant''s sites when the batch was begun; empty when the site was given',
    lines           UInt64 COMMENT 'Lines in the batch',
    imported_at     DateTime64(3, 'UTC') COMMENT 'Receipt time of reports that carry none',
    stored_from     DateTime64(3, 'UTC') COMMENT 'Reports received before it had expired and are not stored',
    retention_days  UInt16 COMMENT 'Days of the tenant''s retention when it was begun',
    state           LowCardinality(String) COMMENT 'started, then done in a row of its own',
    reports         UInt64 COMMENT 'Reports in the batch, skipped and rejected ones too; 0 while it is sent',
    stored          UInt64 COMMENT 'Reports of the batch that were stored; 0 while it is sent',
    recorded_at     DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written'
)
ENGINE = MergeTree
ORDER BY (tenant_id, previous_token, token)
COMMENT 'Import log: batches of each import, and how far each is';

CREATE TABLE IF NOT EXISTS import_log_by_time
(
    tenant_id       UUID COMMENT 'The tenant the batch was imported for, or whose rollups were rebuilt',
    recorded_at     DateTime64(3, 'UTC') COMMENT 'When the row of import_log was written',
    token           String COMMENT 'Token of the batch, or of a rebuild of rollups',
    state           LowCardinality(String) COMMENT 'started, then done in a row of its own'
)
ENGINE = MergeTree
ORDER BY (tenant_id, recorded_at)
TTL toDateTime(recorded_at, 'UTC') + toIntervalDay(2)
SETTINGS index_granularity = 1024
COMMENT 'Import log of the last two days by time: the version of a tenant''s data';

CREATE MATERIALIZED VIEW IF NOT EXISTS import_log_by_time_mv
TO import_log_by_time AS
SELECT tenant_id, recorded_at, token, state
FROM import_log;

CREATE TABLE IF NOT EXISTS import_leases
(
    tenant_id   UUID COMMENT 'The tenant whose reports are imported',
    generation  UInt64 COMMENT 'Number of the lease; its first claim is stored, as all have one deduplication token',
    id          UUID COMMENT 'The import that holds it',
    holder      String COMMENT 'Process and host of the import, for people',
    released    Bool COMMENT 'Whether the import has ended',
    renewed_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(renewed_at)
ORDER BY (tenant_id, generation)
SETTINGS non_replicated_deduplication_window = 10000
COMMENT 'Leases of imports of reports, one a tenant at a time';
