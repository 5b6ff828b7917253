-- When did each tenant import last, and which imports were interrupted?
-- tenant = \N: only this tenant, a UUID
SELECT
    tenants.name AS tenant_name,
    batches.tenant_id AS tenant_id,
    max(batches.done_at) AS last_done_at,
    sum(batches.reports) AS reports,
    sum(batches.stored) AS stored,
    countIf(NOT is_done) AS unfinished_batches,
    minOrNullIf(started_at, NOT is_done) AS unfinished_since
FROM (
    SELECT
        tenant_id,
        min(recorded_at) AS started_at,
        maxIf(recorded_at, state = 'done') AS done_at,
        max(state = 'done') AS is_done,
        max(reports) AS reports,
        max(stored) AS stored
    FROM import_log
    WHERE {tenant:Nullable(UUID)} IS NULL OR tenant_id = {tenant:Nullable(UUID)}
    GROUP BY tenant_id, previous_token, token, stored_from
) AS batches
LEFT JOIN (SELECT id, name FROM tenants FINAL) AS tenants ON tenants.id = batches.tenant_id
GROUP BY tenant_name, tenant_id
ORDER BY unfinished_batches DESC, last_done_at DESC
LIMIT 100;
