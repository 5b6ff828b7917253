-- What an import has sent: a run that was cut off finds its place here, and sends a started batch again as it was.

CREATE TABLE IF NOT EXISTS import_batches
(
    tenant_id       UUID COMMENT 'The tenant the batch was imported for',
    previous_token  String COMMENT 'Token of the batch before it in the file',
    token           String COMMENT 'Chained SHA-256 of the file up to the end of the batch',
    hosts           Array(String) COMMENT 'Site hosts this pass over the batch was the first to know; empty when the site was given',
    lines           UInt64 COMMENT 'Lines in the batch',
    imported_at     DateTime64(3, 'UTC') COMMENT 'Receipt time of reports that carry none',
    state           LowCardinality(String) COMMENT 'started, then done in a row of its own',
    reports         UInt64 COMMENT 'Well-formed reports in the batch',
    stored          UInt64 COMMENT 'Reports stored from it',
    recorded_at     DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written'
)
ENGINE = MergeTree
ORDER BY (tenant_id, previous_token, token)
COMMENT 'Ledger of import batches';
