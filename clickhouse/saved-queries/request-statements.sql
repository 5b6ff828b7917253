-- Which statements did a request of the API make, in which order and at which cost?
-- request: the request's id, as X-Request-Id, the log line and the error body have it
-- hours = 24: hours up to now in which it was made
SELECT
    query_start_time_microseconds AS started_at,
    JSONExtractString(log_comment, 'endpoint') AS operation,
    JSONExtractString(log_comment, 'query') AS query_name,
    JSONExtractString(log_comment, 'tenantId') AS tenant_id,
    query_duration_ms,
    read_rows,
    formatReadableSize(read_bytes) AS read_bytes,
    result_rows,
    formatReadableSize(memory_usage) AS memory,
    arrayMap(name -> splitByChar('.', name)[2], tables) AS tables,
    exception,
    query AS statement
FROM system.query_log
WHERE event_time >= now() - toIntervalHour({hours:UInt32})
  AND type != 'QueryStart'
  AND startsWith(query_id, concat({request:String}, '-'))
ORDER BY started_at;
