-- Every report, and the report types that its views count by.
--
-- An id is a UUIDv7 of received_at. ClickHouse orders UUIDs by their second half, so (received_at, id) orders as text
-- does, and a newest-first page reads one range of the primary key.
--
-- Each bloom filter covers a granule of 1,024 reports, so that a rare value of a high-cardinality column is found
-- without a read of the window.
--
-- Each distinct policy and issue of an insert is hashed once (toLowCardinality), for a third of the processor time.
-- A nonce ends at white space or a semicolon: a forged policy cannot hide others in one.

CREATE TABLE IF NOT EXISTS report_types
(
    report_type         LowCardinality(String) COMMENT 'The report type',
    dimensions          Array(LowCardinality(String)) COMMENT 'Parameter names of the dimensions its reports have',
    has_issues          Bool COMMENT 'Whether its reports are grouped into issues',
    is_browser_change   Bool COMMENT 'Whether its reports are listed as browser changes',
    updated_at          DateTime64(3, 'UTC') DEFAULT now64(3)
        COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY report_type
COMMENT 'Report types that the views count by; migrate fills it from schema/report-types.ts';

CREATE TABLE IF NOT EXISTS reports
(
    tenant_id               UUID COMMENT 'The tenant that owns it' CODEC(ZSTD(1)),
    site_id                 UUID COMMENT 'The site it is about' CODEC(ZSTD(1)),
    report_type             LowCardinality(String) COMMENT 'One of the report types, or csp-hash' CODEC(ZSTD(1)),
    received_at             DateTime64(3, 'UTC') COMMENT 'When the collector received it' CODEC(DoubleDelta, ZSTD(1)),
    id                      UUID COMMENT 'UUIDv7 of received_at' CODEC(ZSTD(1)),
    age_ms                  UInt32 COMMENT 'Milliseconds from its making to its receipt' CODEC(T64, ZSTD(1)),
    occurred_at             DateTime64(3, 'UTC') ALIAS received_at - toIntervalMillisecond(age_ms)
        COMMENT 'When the browser made it',
    retention_days          UInt16 COMMENT 'Days of the tenant''s retention when it was stored' CODEC(ZSTD(1)),
    weight                  UInt64 COMMENT '1 / sample_rate in millionths' CODEC(T64, ZSTD(1)),
    sample_rate             Float64 COMMENT 'The share of such reports that is stored, above 0 up to 1' CODEC(ZSTD(1)),
    browser_name            LowCardinality(String)
        COMMENT 'Browser family, empty when the user agent was unreadable' CODEC(ZSTD(1)),
    browser_version         LowCardinality(String) COMMENT 'Browser version' CODEC(ZSTD(1)),
    os_name                 LowCardinality(String) COMMENT 'Operating system, empty when unknown' CODEC(ZSTD(1)),
    device_type             LowCardinality(String) COMMENT 'desktop, mobile, tablet or unknown' CODEC(ZSTD(1)),
    document_url            String COMMENT 'The page; untrusted' CODEC(ZSTD(1)),
    document_host           LowCardinality(String) COMMENT 'Host of document_url, lower case' CODEC(ZSTD(1)),
    disposition             LowCardinality(String) COMMENT 'enforce, report, or empty' CODEC(ZSTD(1)),
    feature                 LowCardinality(String)
        COMMENT 'Policy-controlled feature, API, error type or crash reason; untrusted' CODEC(ZSTD(1)),
    directive               LowCardinality(String) COMMENT 'Effective CSP directive; untrusted' CODEC(ZSTD(1)),
    blocked_host            LowCardinality(String)
        COMMENT 'Host of blocked_url, or its keyword or scheme; untrusted' CODEC(ZSTD(1)),
    blocked_url             String COMMENT 'Blocked URL as the browser wrote it; untrusted' CODEC(ZSTD(1)),
    blocked_origin          LowCardinality(String) COMMENT 'Origin of blocked_url' CODEC(ZSTD(1)),
    destination             LowCardinality(String) COMMENT 'Request destination; untrusted' CODEC(ZSTD(1)),
    effective_policy        LowCardinality(String)
        COMMENT 'Cross-origin opener policy in effect; untrusted' CODEC(ZSTD(1)),
    other_origin            LowCardinality(String)
        COMMENT 'Origin on the other side of the opener relation' CODEC(ZSTD(1)),
    source_file             String COMMENT 'Script, without query and fragment; untrusted' CODEC(ZSTD(1)),
    line_number             UInt32 COMMENT 'Line in source_file, 0 when unknown' CODEC(T64, ZSTD(1)),
    column_number           UInt32 COMMENT 'Column in source_file, 0 when unknown' CODEC(T64, ZSTD(1)),
    message                 String COMMENT 'The browser''s explanation; untrusted' CODEC(ZSTD(1)),
    sample                  String COMMENT 'Start of the blocked code; untrusted' CODEC(ZSTD(1)),
    policy                  String COMMENT 'The policy as the report quotes it; untrusted' CODEC(ZSTD(1)),
    referrer                String COMMENT 'Referrer of the page; untrusted' CODEC(ZSTD(1)),
    status_code             UInt16 COMMENT 'HTTP status, 0 when there was none' CODEC(ZSTD(1)),
    phase                   LowCardinality(String)
        COMMENT 'Network error: dns, connection or application' CODEC(ZSTD(1)),
    method                  LowCardinality(String) COMMENT 'Network error: request method; untrusted' CODEC(ZSTD(1)),
    protocol                LowCardinality(String) COMMENT 'Network error: ALPN id; untrusted' CODEC(ZSTD(1)),
    server_ip               LowCardinality(String)
        COMMENT 'Network error: address of the server; untrusted' CODEC(ZSTD(1)),
    elapsed_ms              Nullable(UInt32) COMMENT 'Network error: milliseconds until it failed' CODEC(ZSTD(1)),
    request_url             String COMMENT 'Network error: the request that failed; untrusted' CODEC(ZSTD(1)),
    anticipated_removal_at  Nullable(DateTime64(3, 'UTC')) COMMENT 'Deprecation: when the API goes' CODEC(ZSTD(1)),
    is_top_level            Nullable(Bool) COMMENT 'Crash: whether the page was a top-level one' CODEC(ZSTD(1)),
    visibility_state        LowCardinality(String) COMMENT 'Crash: page visibility' CODEC(ZSTD(1)),
    stack                   String COMMENT 'Crash: call stack; untrusted' CODEC(ZSTD(1)),
    issue_subject           LowCardinality(String)
        COMMENT 'Subject of its issue: a directive, feature, destination or policy' CODEC(ZSTD(1)),
    issue_host              LowCardinality(String) COMMENT 'Host its issue is about, empty when unknown' CODEC(ZSTD(1)),
    noise                   Bool
        COMMENT 'Caused by an extension, the browser itself or an injecting product' CODEC(ZSTD(1)),
    issue_key               UInt64
        DEFAULT halfMD5(toLowCardinality(
            concat(toString(site_id), '\n', report_type, '\n', issue_subject, '\n', issue_host)
        ))
        COMMENT 'The issue of a report whose type makes issues' CODEC(ZSTD(1)),
    request_origin          LowCardinality(String)
        COMMENT 'Network error: origin of request_url, empty when it has none' CODEC(ZSTD(1)),
    policy_key              UInt64
        DEFAULT halfMD5(replaceRegexpAll(toLowCardinality(policy), '\'nonce-[^\'\\s;]*\'', '\'nonce-*\''))
            * (policy != '')
        COMMENT 'The policy it quotes, nonces apart; 0 when it quotes none' CODEC(ZSTD(1)),
    script_url              String
        COMMENT 'The script it names, without query and fragment; empty when it names none; untrusted' CODEC(ZSTD(1)),
    script_hash             String
        COMMENT 'csp-hash: sha256-<base64>, or the same of another digest; empty when unhashed' CODEC(ZSTD(1)),
    reported_hash           String COMMENT 'csp-hash: the hash as the browser wrote it; untrusted' CODEC(ZSTD(1)),
    INDEX blocked_host_values blocked_host TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX blocked_origin_values blocked_origin TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX blocked_url_values blocked_url TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX document_host_values document_host TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX issue_key_values issue_key TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX other_origin_values other_origin TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX site_id_values site_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX source_file_values source_file TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (tenant_id, report_type, received_at, id)
TTL toDateTime(toDate(received_at), 'UTC') + toIntervalDay(retention_days + 1)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000
COMMENT 'Reports, one row each; the source of every rollup';
