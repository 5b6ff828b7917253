CREATE TABLE IF NOT EXISTS library_files
(
    id          String COMMENT 'Its hash: sha256-<base64>, or the same of another digest',
    name        LowCardinality(String) COMMENT 'The library',
    release     String COMMENT 'The earliest release that holds the bytes' CODEC(ZSTD(1)),
    path        String COMMENT 'The file within the package' CODEC(ZSTD(1)),
    catalog     LowCardinality(String) COMMENT 'Where the library is published, such as npm',
    version     DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'The row with the latest version stands; all of a hash say the same'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY id
SETTINGS index_granularity = 1024
COMMENT 'The index of public libraries: which file has which hash';

CREATE TABLE IF NOT EXISTS library_advisories
(
    id          String COMMENT 'catalog and name, apart by a space',
    catalog     LowCardinality(String) COMMENT 'Where the library is published, such as npm',
    name        LowCardinality(String) COMMENT 'The library',
    checked_at  DateTime64(3, 'UTC') COMMENT 'When the advisory databases were asked; the row with the latest stands',
    advisories  String COMMENT 'JSON: every advisory about any release of the library' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(checked_at)
ORDER BY id
COMMENT 'What advisory databases say about each public library';
