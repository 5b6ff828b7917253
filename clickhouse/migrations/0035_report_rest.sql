-- What browsers report and no column had: pairs that a page sets for its crash reports, and members of every type.

ALTER TABLE reports
    ADD COLUMN IF NOT EXISTS context String
        COMMENT 'Crash: JSON of the pairs that the page set by crashReport.set; untrusted' CODEC(ZSTD(1)) AFTER stack,
    ADD COLUMN IF NOT EXISTS rest String
        COMMENT 'JSON of members that no other column has; untrusted' CODEC(ZSTD(1)) AFTER context;
