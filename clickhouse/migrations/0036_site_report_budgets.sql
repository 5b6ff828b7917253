-- Above its budget the collector stores a share of a site's reports, each with its weight.

ALTER TABLE sites
    ADD COLUMN IF NOT EXISTS max_reports_per_minute UInt32
        COMMENT 'Reports per minute of which the collector stores all; 0 for the number of the plan'
        AFTER kept_parameters;
