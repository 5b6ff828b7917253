-- The ledger by time, so that whether an import has been since is a short look however long the ledger is.

CREATE TABLE IF NOT EXISTS import_steps
(
    tenant_id       UUID COMMENT 'The tenant the batch was imported for',
    recorded_at     DateTime64(3, 'UTC') COMMENT 'When the ledger''s row was written',
    token           String COMMENT 'The batch''s',
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
