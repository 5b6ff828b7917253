-- What records of evidence were, by when they were written: a view appends every insert to a history.
--
-- A version is its record and updated_at, so a copy of it is the same version. As of a time the latest by then counts.
-- What is there now is the first version; of what is changed in place also as of 1970: nobody knows when it became so.
-- A history has every row of its table, so that a copy of the table adds none to a copy of the history.

CREATE TABLE IF NOT EXISTS tenants_history
(
    tenant_id   UUID COMMENT 'The tenant',
    name        String COMMENT 'Its name then',
    plan        LowCardinality(String) COMMENT 'Its plan then',
    overrides   String COMMENT 'JSON: cells of the plan table that its contract changed then',
    updated_at  DateTime64(3, 'UTC') COMMENT 'When it was written; 1970 for what was found when the history began'
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Versions of tenants: names and plans';

CREATE MATERIALIZED VIEW IF NOT EXISTS tenants_history_mv
TO tenants_history AS
SELECT id AS tenant_id, name, plan, overrides, updated_at
FROM tenants;

INSERT INTO tenants_history
SELECT id AS tenant_id, name, plan, overrides, updated_at
FROM tenants
UNION ALL
SELECT id AS tenant_id, name, plan, overrides, toDateTime64(0, 3, 'UTC') AS updated_at
FROM tenants FINAL;

CREATE TABLE IF NOT EXISTS sites_history
(
    tenant_id   UUID COMMENT 'The tenant that owns it',
    site_id     UUID COMMENT 'The site',
    name        String COMMENT 'Its name then',
    created_at  DateTime64(3, 'UTC') COMMENT 'When it was created',
    updated_at  DateTime64(3, 'UTC') COMMENT 'When it was written; 1970 for what was found when the history began'
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, site_id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Versions of sites: names';

CREATE MATERIALIZED VIEW IF NOT EXISTS sites_history_mv
TO sites_history AS
SELECT tenant_id, id AS site_id, name, created_at, updated_at
FROM sites;

INSERT INTO sites_history
SELECT tenant_id, id AS site_id, name, created_at, updated_at
FROM sites
UNION ALL
SELECT tenant_id, id AS site_id, name, created_at, toDateTime64(0, 3, 'UTC') AS updated_at
FROM sites FINAL;

CREATE TABLE IF NOT EXISTS monitored_pages_history AS monitored_pages
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, site_id, id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Versions of monitored pages';

CREATE MATERIALIZED VIEW IF NOT EXISTS monitored_pages_history_mv
TO monitored_pages_history AS
SELECT tenant_id, site_id, id, kind, label, pattern, scan_url, position, removed, updated_at
FROM monitored_pages;

INSERT INTO monitored_pages_history
SELECT *
FROM monitored_pages
UNION ALL
SELECT * REPLACE (toDateTime64(0, 3, 'UTC') AS updated_at)
FROM monitored_pages FINAL;

CREATE TABLE IF NOT EXISTS alert_rules_history AS alert_rules
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Versions of alert rules';

CREATE MATERIALIZED VIEW IF NOT EXISTS alert_rules_history_mv
TO alert_rules_history AS
SELECT tenant_id, id, site_id, event_type, kind, destination_id, enabled, updated_at
FROM alert_rules;

INSERT INTO alert_rules_history
SELECT *
FROM alert_rules
UNION ALL
SELECT * REPLACE (toDateTime64(0, 3, 'UTC') AS updated_at)
FROM alert_rules FINAL;

CREATE TABLE IF NOT EXISTS script_decisions_history AS script_decisions
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, site_id, id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Decisions about scripts by when they were recorded';

CREATE MATERIALIZED VIEW IF NOT EXISTS script_decisions_history_mv
TO script_decisions_history AS
SELECT tenant_id, site_id, id, script_url, status, integrity_mode, pinned_hashes, justification, decided_name,
    decided_email, decided_at, updated_at
FROM script_decisions;

INSERT INTO script_decisions_history
SELECT *
FROM script_decisions;

CREATE TABLE IF NOT EXISTS script_captures_history AS script_captures
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, site_id, id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'States of attempts to keep a copy of a script';

CREATE MATERIALIZED VIEW IF NOT EXISTS script_captures_history_mv
TO script_captures_history AS
SELECT tenant_id, site_id, id, script_url, script_hash, state, reason, source, fetched_url, final_url, received_hash,
    size, reused, attempted_at, updated_at
FROM script_captures;

INSERT INTO script_captures_history
SELECT *
FROM script_captures;

CREATE TABLE IF NOT EXISTS page_scans_history
(
    tenant_id           UUID COMMENT 'The tenant that owns it' CODEC(ZSTD(1)),
    page_id             UUID COMMENT 'The monitored page' CODEC(ZSTD(1)),
    scanned_at          DateTime64(3, 'UTC') COMMENT 'When it was scanned' CODEC(DoubleDelta, ZSTD(1)),
    id                  UUID COMMENT 'The scan' CODEC(ZSTD(1)),
    status              LowCardinality(String) COMMENT 'complete or failed',
    failure_reason      LowCardinality(String) COMMENT 'Why it failed; empty when complete',
    failure_message     String COMMENT 'Failure for people, empty when there is none' CODEC(ZSTD(1)),
    rubric_version      UInt32 COMMENT 'The rubric of its grade',
    grade               LowCardinality(String) COMMENT 'A+, A, B, C, D or F; empty when failed',
    score               UInt8 COMMENT '0 to 100; 0 when failed',
    scan_url            String COMMENT 'The URL fetched, as the page named it then' CODEC(ZSTD(1)),
    final_url           String COMMENT 'Where the fetch ended, empty when unknown; untrusted' CODEC(ZSTD(1)),
    status_code         UInt16 COMMENT 'HTTP status, 0 when there was none',
    headers             Map(LowCardinality(String), String)
        COMMENT 'The watched headers the page sent, in comparable form; untrusted' CODEC(ZSTD(1)),
    headers_key         UInt64 COMMENT 'Hash of headers, to compare scans by' CODEC(ZSTD(1)),
    script_urls         Array(String) COMMENT 'Identity of each script tag; untrusted' CODEC(ZSTD(1)),
    script_hashes       Array(String) COMMENT 'Hash of each script tag, empty where it was not hashed' CODEC(ZSTD(1)),
    script_integrity    Array(Bool) COMMENT 'Whether each script tag has integrity metadata' CODEC(ZSTD(1)),
    scripts_listed      Bool COMMENT 'Whether the scan lists the page''s scripts',
    updated_at          DateTime64(3, 'UTC') COMMENT 'When it was written'
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, page_id, scanned_at, id, updated_at)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Scans of monitored pages by when they were recorded, without their results';

CREATE MATERIALIZED VIEW IF NOT EXISTS page_scans_history_mv
TO page_scans_history AS
SELECT tenant_id, page_id, scanned_at, id, status, failure_reason, failure_message, rubric_version, grade, score,
    scan_url, final_url, status_code, headers, headers_key, script_urls, script_hashes, script_integrity,
    scripts_listed, updated_at
FROM page_scans;

INSERT INTO page_scans_history
SELECT * EXCEPT (result, scripts)
FROM page_scans;

CREATE TABLE IF NOT EXISTS alert_deliveries_history
(
    tenant_id           UUID COMMENT 'The tenant it was sent for',
    created_at          DateTime64(3, 'UTC') COMMENT 'When it was sent, attempted or dropped',
    id                  String COMMENT 'The delivery',
    alert_id            String COMMENT 'The alert, shared by its deliveries',
    kind                LowCardinality(String) COMMENT 'immediate, the one kind that is evidence',
    outcome             LowCardinality(String) COMMENT 'delivered, rejected or dropped',
    detail              String COMMENT 'The kind of failure; empty when there is none',
    destination_id      String COMMENT 'Where it went',
    destination_name    String COMMENT 'Its name then; empty when it was deleted before sending',
    destination_type    LowCardinality(String) COMMENT 'email, webhook or slack; empty with the name',
    event_type          LowCardinality(String) COMMENT 'Event it is about, empty when it names none',
    site_id             Nullable(UUID) COMMENT 'The site it is about, NULL when it is about none or several',
    updated_at          DateTime64(3, 'UTC') COMMENT 'When it was written'
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, created_at, id, updated_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Outcomes of immediate alerts by when they were recorded';

CREATE MATERIALIZED VIEW IF NOT EXISTS alert_deliveries_history_mv
TO alert_deliveries_history AS
SELECT tenant_id, created_at, id, alert_id, kind, outcome, detail, destination_id, destination_name, destination_type,
    event_type, site_id, updated_at
FROM alert_deliveries
WHERE kind = 'immediate';

INSERT INTO alert_deliveries_history
SELECT * EXCEPT (site_ids, summary)
FROM alert_deliveries
WHERE kind = 'immediate';
