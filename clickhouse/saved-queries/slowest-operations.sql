-- Which operations of the API cost ClickHouse most time, and which request was the slowest of each?
-- hours = 24: hours up to now
SELECT
    JSONExtractString(log_comment, 'endpoint') AS operation,
    JSONExtractString(log_comment, 'query') AS query_name,
    count() AS statements,
    sum(query_duration_ms) AS total_ms,
    round(quantile(0.5)(query_duration_ms)) AS median_ms,
    max(query_duration_ms) AS slowest_ms,
    round(avg(read_rows)) AS read_rows,
    formatReadableSize(avg(read_bytes)) AS read_bytes,
    formatReadableSize(max(memory_usage)) AS most_memory,
    countIf(exception_code != 0) AS failed,
    argMax(JSONExtractString(log_comment, 'requestId'), query_duration_ms) AS slowest_request
FROM system.query_log
WHERE event_time >= now() - toIntervalHour({hours:UInt32})
  AND type != 'QueryStart'
  AND JSONHas(log_comment, 'requestId')
GROUP BY operation, query_name
ORDER BY total_ms DESC
LIMIT 50;
