-- Decisions of a site's operators about sources of its content security policy: what browsers report is a claim, and a
-- decision makes it known.

CREATE TABLE IF NOT EXISTS source_decisions
(
    tenant_id       UUID COMMENT 'The tenant that owns it',
    site_id         UUID COMMENT 'The site whose policy it is about',
    id              UUID COMMENT 'The decision',
    directive       LowCardinality(String) COMMENT 'Directive of the policy, such as img-src',
    source          String COMMENT 'Origin, or the scheme data or blob',
    status          LowCardinality(String) COMMENT 'accepted or rejected',
    reason          String COMMENT 'Why, for people',
    decided_name    String COMMENT 'Name of who decided, as recorded then; empty when unknown',
    decided_email   String COMMENT 'Their email, as recorded then',
    decided_at      DateTime64(3, 'UTC') COMMENT 'When it was decided',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, site_id, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Decisions about sources of policies; none is ever changed or removed';

CREATE TABLE IF NOT EXISTS source_decisions_history AS source_decisions
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, site_id, id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Decisions about sources by when they were recorded';

CREATE MATERIALIZED VIEW IF NOT EXISTS source_decisions_history_mv
TO source_decisions_history AS
SELECT tenant_id, site_id, id, directive, source, status, reason, decided_name, decided_email, decided_at, updated_at
FROM source_decisions;
