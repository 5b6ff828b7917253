-- What the scheduled scans of monitored pages found. A page is of one site for good, so its id says the site. A change
-- is a new row with a later version; reads use FINAL. What a scan is compared with, and how many failed before it, is
-- worked out on reading, so that scans can come in any order.
-- Scans are evidence of PCI DSS 4.0 requirement 11.6.1 and few: they have no TTL, and outlive the reports.

CREATE TABLE IF NOT EXISTS page_scans
(
    tenant_id        UUID COMMENT 'The tenant that owns it' CODEC(ZSTD(1)),
    page_id          UUID COMMENT 'The monitored page' CODEC(ZSTD(1)),
    scanned_at       DateTime64(3, 'UTC') COMMENT 'When it was scanned' CODEC(DoubleDelta, ZSTD(1)),
    id               UUID COMMENT 'The scan' CODEC(ZSTD(1)),
    status           LowCardinality(String) COMMENT 'complete or failed',
    failure_reason   LowCardinality(String) COMMENT 'Why it failed, such as timeout; empty when complete',
    failure_message  String COMMENT 'The same for people, empty when there is none' CODEC(ZSTD(1)),
    rubric_version   UInt32 COMMENT 'The rubric of its grade; grades of two rubrics are not compared',
    grade            LowCardinality(String) COMMENT 'A+, A, B, C, D or F; empty when failed',
    score            UInt8 COMMENT '0 to 100; 0 when failed',
    scan_url         String COMMENT 'The URL fetched, as the page named it then' CODEC(ZSTD(1)),
    final_url        String COMMENT 'Where the fetch ended after redirects, empty when unknown; untrusted' CODEC(ZSTD(1)),
    status_code      UInt16 COMMENT 'HTTP status, 0 when there was none',
    headers          Map(LowCardinality(String), String) COMMENT 'The watched headers the page sent, in comparable form and watched order; untrusted' CODEC(ZSTD(1)),
    headers_key      UInt64 DEFAULT halfMD5(toString(headers)) COMMENT 'The same for scans with the same headers' CODEC(ZSTD(1)),
    result           String COMMENT 'JSON: the graded result, empty when failed; read for one scan at a time' CODEC(ZSTD(1)),
    scripts          String COMMENT 'JSON: the page''s scripts, empty when there are none to tell; untrusted' CODEC(ZSTD(1)),
    version          DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'The row with the latest version stands'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant_id, page_id, scanned_at, id)
SETTINGS index_granularity = 256
COMMENT 'Scans of monitored pages, one row each';
