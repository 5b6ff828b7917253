-- The pages a site wants watched. A change is a new row with a later version; reads use FINAL.

CREATE TABLE IF NOT EXISTS monitored_pages
(
    tenant_id   UUID COMMENT 'The tenant that owns it',
    site_id     UUID COMMENT 'The site it belongs to',
    id          UUID COMMENT 'The page',
    kind        LowCardinality(String) COMMENT 'payment (requirements 6.4.3 and 11.6.1) or other',
    label       String COMMENT 'Its name, for people',
    pattern     String COMMENT 'scheme://host/path; * matches within a segment, ** as the last segment any remainder',
    scan_url    String COMMENT 'The one URL the scheduled scans fetch, empty when none is set',
    position    UInt32 COMMENT 'Its place in the order the site lists its pages',
    version     DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'The row with the latest version stands'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (tenant_id, site_id, id)
COMMENT 'Monitored pages';
