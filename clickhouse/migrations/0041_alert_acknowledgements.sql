-- People's acknowledgements of alerts: evidence of PCI DSS 4.0 requirement 11.6.1 and few, so they have no TTL. A row
-- never changes, and its time is that of its storage, so a report as of a time needs no history.

CREATE TABLE IF NOT EXISTS alert_acknowledgements
(
    tenant_id           UUID COMMENT 'The tenant of the alert',
    site_id             UUID COMMENT 'The site of the alert',
    delivery_id         String COMMENT 'The delivery',
    id                  UUID COMMENT 'The acknowledgement',
    acknowledged_by     String COMMENT 'Name or e-mail address of the person',
    note                String COMMENT 'What the person found or did',
    ticket              String COMMENT 'Ticket in another system; empty without one',
    acknowledged_at     DateTime64(3, 'UTC') COMMENT 'When it was stored'
)
ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, delivery_id, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Acknowledgements of alerts; none is ever changed or removed';
