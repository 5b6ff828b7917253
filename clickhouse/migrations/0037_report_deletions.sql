-- Deletions of reports by their filter. A row is written before the first report goes, so that an interrupted deletion
-- is found and completed.

CREATE TABLE IF NOT EXISTS report_deletions
(
    tenant_id       UUID COMMENT 'The tenant',
    id              UUID COMMENT 'The deletion',
    filters         Array(LowCardinality(String)) COMMENT 'Names of the filters, without their values',
    deleted_by      String COMMENT 'Email of who deleted, empty when unknown',
    counts          Map(LowCardinality(String), UInt64) COMMENT 'Deleted reports by type',
    part_ids        Array(UUID)
        COMMENT 'Deleted reports that import_log names as the latest of a part, which is not lost without them',
    started_at      DateTime64(3, 'UTC') COMMENT 'When it began',
    finished_at     Nullable(DateTime64(3, 'UTC')) COMMENT 'When it ended; null while it runs or was interrupted',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Deletions of reports: when, by whom, by which filters and how many';
