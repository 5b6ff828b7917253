-- What a site stores of URLs that can hold a visitor's secret. Sites that exist store them whole, as before.

ALTER TABLE sites
    ADD COLUMN IF NOT EXISTS urls LowCardinality(String) DEFAULT 'whole'
        COMMENT 'Mode of stored URLs: names (queries without values), paths (no queries) or whole' AFTER sample_rates;

ALTER TABLE sites
    ADD COLUMN IF NOT EXISTS kept_parameters Array(String)
        COMMENT 'Parameters of queries whose values are stored in the mode names' AFTER urls;
