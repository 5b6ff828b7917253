-- Public libraries, the same for every tenant.

CREATE TABLE IF NOT EXISTS library_files
(
    id          String COMMENT 'Its hash: sha256-<base64>, or the same of another digest',
    name        LowCardinality(String) COMMENT 'The library',
    release     String COMMENT 'The earliest release that holds the bytes' CODEC(ZSTD(1)),
    path        String COMMENT 'The file within the package' CODEC(ZSTD(1)),
    catalog     LowCardinality(String) COMMENT 'Where the library is published, such as npm',
    updated_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY id
SETTINGS index_granularity = 1024
COMMENT 'Index of public libraries: the file that has a hash';

CREATE TABLE IF NOT EXISTS library_advisories
(
    id          String COMMENT 'catalog and name, apart by a space',
    catalog     LowCardinality(String) COMMENT 'Where the library is published, such as npm',
    name        LowCardinality(String) COMMENT 'The library',
    checked_at  DateTime64(3, 'UTC') COMMENT 'When the advisory databases were read: of several rows the latest counts',
    advisories  String COMMENT 'JSON: every advisory about any release of the library' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(checked_at)
ORDER BY id
COMMENT 'Advisories about each public library, by advisory databases';
