-- Scans that an alert is about. Deliveries of every kind are evidence, because a test shows that a destination accepts.

ALTER TABLE alert_deliveries
    ADD COLUMN IF NOT EXISTS scan_ids Array(UUID)
        COMMENT 'Scans whose changes the alert is about; empty for other events and deliveries of other systems'
        AFTER site_ids;

ALTER TABLE alert_deliveries_history
    ADD COLUMN IF NOT EXISTS scan_ids Array(UUID)
        COMMENT 'Scans whose changes the alert is about; empty for other events and deliveries of other systems'
        AFTER site_id;
ALTER TABLE alert_deliveries_history
    MODIFY COLUMN kind COMMENT 'immediate, digest or test';
ALTER TABLE alert_deliveries_history_mv MODIFY QUERY
SELECT tenant_id, created_at, id, alert_id, kind, outcome, detail, destination_id, destination_name, destination_type,
    event_type, site_id, scan_ids, updated_at
FROM alert_deliveries;

INSERT INTO alert_deliveries_history
SELECT tenant_id, created_at, id, alert_id, kind, outcome, detail, destination_id, destination_name, destination_type,
    event_type, site_id, scan_ids, updated_at
FROM alert_deliveries
WHERE kind != 'immediate';
