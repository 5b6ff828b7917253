-- Evidence that a new issue needs for an immediate message of a rule.

ALTER TABLE alert_rules
    ADD COLUMN IF NOT EXISTS min_reports UInt32
        COMMENT 'Reports of a new issue; 0 in both columns for the default bounds' AFTER enabled,
    ADD COLUMN IF NOT EXISTS min_browsers UInt32
        COMMENT 'Browser families of a new issue; 0 for any number' AFTER min_reports;

ALTER TABLE alert_rules_history
    ADD COLUMN IF NOT EXISTS min_reports UInt32
        COMMENT 'Reports of a new issue; 0 in both columns for the default bounds' AFTER enabled,
    ADD COLUMN IF NOT EXISTS min_browsers UInt32
        COMMENT 'Browser families of a new issue; 0 for any number' AFTER min_reports;
ALTER TABLE alert_rules_history_mv MODIFY QUERY
SELECT tenant_id, id, site_id, event_type, kind, destination_id, enabled, min_reports, min_browsers, updated_at
FROM alert_rules;
