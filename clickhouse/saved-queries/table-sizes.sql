-- How many rows, bytes and parts does each table have?
SELECT
    table,
    sum(rows) AS rows,
    formatReadableSize(sum(bytes_on_disk)) AS on_disk,
    round(sum(data_uncompressed_bytes) / sum(data_compressed_bytes), 1) AS compression,
    count() AS parts,
    uniq(partition) AS partitions,
    max(modification_time) AS written_at
FROM system.parts
WHERE active
  AND database = currentDatabase()
GROUP BY table
ORDER BY sum(bytes_on_disk) DESC;
