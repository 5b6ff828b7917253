-- Alert rules and deliveries. Deliveries are evidence of PCI DSS 4.0 requirement 11.6.1 and few: no TTL.

CREATE TABLE IF NOT EXISTS alert_rules
(
    tenant_id       UUID COMMENT 'The tenant that set it',
    id              String COMMENT 'The rule',
    site_id         Nullable(UUID) COMMENT 'The one site it covers, NULL for every site of the tenant',
    event_type      LowCardinality(String) COMMENT 'Event it alerts of, such as page.headers_changed',
    kind            LowCardinality(String) COMMENT 'immediate or digest',
    destination_id  String COMMENT 'Where its alerts go, as a delivery names it',
    enabled         Bool COMMENT 'Whether it sends alerts',
    updated_at      DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, id)
COMMENT 'Alert rules';

CREATE TABLE IF NOT EXISTS alert_deliveries
(
    tenant_id           UUID COMMENT 'The tenant it was sent for',
    created_at          DateTime64(3, 'UTC') COMMENT 'When it was sent, attempted or dropped',
    id                  String COMMENT 'The delivery',
    alert_id            String COMMENT 'The alert, shared by its deliveries',
    kind                LowCardinality(String) COMMENT 'immediate, digest or test',
    outcome             LowCardinality(String) COMMENT 'delivered, rejected or dropped',
    detail              String
        COMMENT 'The kind of failure, without any URL, token, host name or address; empty when there is none',
    destination_id      String COMMENT 'Where it went',
    destination_name    String COMMENT 'Its name then, without any address; empty when it was deleted before sending',
    destination_type    LowCardinality(String) COMMENT 'email, webhook or slack; empty with the name',
    event_type          LowCardinality(String) COMMENT 'Event it is about, empty when it names none',
    site_id             Nullable(UUID) COMMENT 'The site it is about, NULL when it is about none or several',
    site_ids            Array(UUID) COMMENT 'The sites a digest covered',
    summary             String COMMENT 'One line for people, empty for a test, a digest and old alerts',
    updated_at          DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (tenant_id, created_at, id)
COMMENT 'Outcome of each alert, one row a destination';
