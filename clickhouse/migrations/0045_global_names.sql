-- reports_named joins names with GLOBAL: on a cluster the server that runs a statement reads them once. ClickHouse
-- refuses the join at the shards to SQL users of a tenant, because they have SELECT only by column.

CREATE OR REPLACE VIEW reports_named
(
    tenant_id               UUID COMMENT 'The tenant',
    tenant_name             String COMMENT 'The tenant''s name; empty once it is deleted',
    site_id                 UUID COMMENT 'The site',
    site_name               String COMMENT 'The site''s name; empty once it is deleted',
    report_type             LowCardinality(String) COMMENT 'The report type',
    received_at             DateTime64(3, 'UTC') COMMENT 'When the collector received it',
    id                      UUID COMMENT 'UUIDv7 of received_at',
    age_ms                  UInt32 COMMENT 'Milliseconds from its making to its receipt',
    occurred_at             DateTime64(3, 'UTC') COMMENT 'When the browser made it',
    estimate                Decimal(38, 6)
        COMMENT 'Reports it counts for by its sample rate; round(sum(estimate)) is the estimate of the API',
    sample_rate             Float64 COMMENT 'The share of such reports that is stored, above 0 up to 1',
    browser_name            LowCardinality(String) COMMENT 'Browser family, empty when the user agent was unreadable',
    browser_version         LowCardinality(String) COMMENT 'Browser version',
    os_name                 LowCardinality(String) COMMENT 'Operating system, empty when unknown',
    device_type             LowCardinality(String) COMMENT 'desktop, mobile, tablet or unknown',
    document_url            String COMMENT 'The page; untrusted',
    document_host           LowCardinality(String) COMMENT 'Host of document_url, lower case',
    disposition             LowCardinality(String) COMMENT 'enforce, report, or empty',
    feature                 LowCardinality(String)
        COMMENT 'Policy-controlled feature, API, error type or crash reason; untrusted',
    directive               LowCardinality(String) COMMENT 'Effective CSP directive; untrusted',
    blocked_host            LowCardinality(String) COMMENT 'Host of blocked_url, or its keyword or scheme; untrusted',
    blocked_url             String COMMENT 'Blocked URL as the browser wrote it; untrusted',
    blocked_origin          LowCardinality(String) COMMENT 'Origin of blocked_url',
    destination             LowCardinality(String) COMMENT 'Request destination; untrusted',
    effective_policy        LowCardinality(String) COMMENT 'Cross-origin opener policy in effect; untrusted',
    other_origin            LowCardinality(String) COMMENT 'Origin on the other side of the opener relation',
    source_file             String COMMENT 'Script, without query and fragment; untrusted',
    line_number             UInt32 COMMENT 'Line in source_file, 0 when unknown',
    column_number           UInt32 COMMENT 'Column in source_file, 0 when unknown',
    message                 String COMMENT 'The browser''s explanation; untrusted',
    sample                  String COMMENT 'Start of the blocked code; untrusted',
    policy                  String COMMENT 'The policy as the report quotes it; untrusted',
    referrer                String COMMENT 'Referrer of the page; untrusted',
    status_code             UInt16 COMMENT 'HTTP status, 0 when there was none',
    phase                   LowCardinality(String) COMMENT 'Network error: dns, connection or application',
    method                  LowCardinality(String) COMMENT 'Network error: request method; untrusted',
    protocol                LowCardinality(String) COMMENT 'Network error: ALPN id; untrusted',
    server_ip               LowCardinality(String) COMMENT 'Network error: address of the server; untrusted',
    elapsed_ms              Nullable(UInt32) COMMENT 'Network error: milliseconds until it failed',
    request_url             String COMMENT 'Network error: the request that failed; untrusted',
    anticipated_removal_at  Nullable(DateTime64(3, 'UTC')) COMMENT 'Deprecation: when the API goes',
    is_top_level            Nullable(Bool) COMMENT 'Crash: whether the page was a top-level one',
    visibility_state        LowCardinality(String) COMMENT 'Crash: page visibility',
    stack                   String COMMENT 'Crash: call stack; untrusted',
    issue_id                String COMMENT 'Id of its issue in the API, where its type makes issues',
    issue_subject           LowCardinality(String)
        COMMENT 'Subject of its issue: a directive, feature, destination or policy',
    issue_host              LowCardinality(String) COMMENT 'Host its issue is about, empty when unknown',
    noise                   Bool COMMENT 'Caused by an extension, the browser itself or an injecting product',
    request_origin          LowCardinality(String)
        COMMENT 'Network error: origin of request_url, empty when it has none',
    script_url              String
        COMMENT 'The script it names, without query and fragment; empty when it names none; untrusted'
)
SQL SECURITY INVOKER
AS SELECT
    reports.tenant_id AS tenant_id,
    tenants.name AS tenant_name,
    site_id,
    sites.name AS site_name,
    report_type,
    received_at, reports.id AS id, age_ms, occurred_at,
    toDecimal128(weight, 6) / 1000000 AS estimate,
    sample_rate,
    browser_name, browser_version, os_name, device_type,
    document_url, document_host, disposition, feature, directive,
    blocked_host, blocked_url, blocked_origin, destination,
    effective_policy, other_origin,
    source_file, line_number, column_number, message, sample,
    policy, referrer, status_code,
    phase, method, protocol, server_ip, elapsed_ms, request_url,
    anticipated_removal_at,
    is_top_level, visibility_state, stack,
    leftPad(lower(hex(issue_key)), 16, '0') AS issue_id,
    issue_subject, issue_host, noise,
    request_origin, script_url
FROM reports
GLOBAL LEFT JOIN (SELECT id, name FROM tenants FINAL) AS tenants ON tenants.id = reports.tenant_id
GLOBAL LEFT JOIN (SELECT id, name, tenant_id FROM sites FINAL) AS sites
    ON sites.tenant_id = reports.tenant_id AND sites.id = reports.site_id
WHERE report_type != 'csp-hash'
COMMENT 'Reports with the names of their tenants and sites';
