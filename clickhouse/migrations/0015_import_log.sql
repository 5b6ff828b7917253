CREATE TABLE IF NOT EXISTS import_batches
(
    tenant_id       UUID COMMENT 'The tenant the batch was imported for',
    previous_token  String COMMENT 'Token of the batch before it in the file',
    token           String COMMENT 'Chained SHA-256 of the file up to the end of the batch',
    hosts           Array(String)
        COMMENT 'Site hosts this pass over the batch was the first to know; empty when the site was given',
    lines           UInt64 COMMENT 'Lines in the batch',
    imported_at     DateTime64(3, 'UTC') COMMENT 'Receipt time of reports that carry none',
    state           LowCardinality(String) COMMENT 'started, then done in a row of its own',
    reports         UInt64 COMMENT 'Reports in the batch, those that are skipped or rejected too; 0 while it is sent',
    stored          UInt64 COMMENT 'Those that this pass stored; 0 while it is sent',
    recorded_at     DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written'
)
ENGINE = MergeTree
ORDER BY (tenant_id, previous_token, token)
COMMENT 'Ledger of import batches';

CREATE TABLE IF NOT EXISTS import_steps
(
    tenant_id       UUID COMMENT 'The tenant the batch was imported for, or whose rollups were rebuilt',
    recorded_at     DateTime64(3, 'UTC') COMMENT 'When the ledger''s row was written',
    token           String COMMENT 'The batch''s, or that of a rebuild of rollups',
    state           LowCardinality(String) COMMENT 'started, then done in a row of its own'
)
ENGINE = MergeTree
ORDER BY (tenant_id, recorded_at)
TTL toDateTime(recorded_at, 'UTC') + toIntervalDay(2)
SETTINGS index_granularity = 1024
COMMENT 'The ledger of import batches by time, of the last days';

CREATE MATERIALIZED VIEW IF NOT EXISTS import_steps_view TO import_steps AS
SELECT tenant_id, recorded_at, token, state
FROM import_batches;
