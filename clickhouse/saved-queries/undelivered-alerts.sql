-- Which alerts were not delivered, and which wait for their receiver?
-- tenant = \N: only this tenant, a UUID
-- days = 31: days up to now
SELECT
    tenants.name AS tenant_name,
    alert.outcome AS outcome,
    alert.event_type AS event_type,
    alert.summary AS summary,
    alert.made_at AS made_at,
    if(alert.destination_name = '', destinations.name, alert.destination_name) AS destination,
    attempts.attempts AS attempts,
    if(alert.failure = '', attempts.failure, alert.failure) AS failure
FROM (
    SELECT tenant_id, alert_id, destination_id, destination_name, outcome, event_type, summary, created_at AS made_at,
        detail AS failure
    FROM alert_deliveries FINAL
    WHERE outcome != 'delivered' AND created_at >= now() - toIntervalDay({days:UInt32})
    UNION ALL
    SELECT tenant_id, toString(id) AS alert_id, arrayJoin(destinations) AS destination_id, '' AS destination_name,
        'waiting' AS outcome, event_type, summary, detected_at AS made_at, '' AS failure
    FROM alerts FINAL
    WHERE detected_at >= now() - toIntervalDay(least({days:UInt32}, 7))
      AND (tenant_id, alert_id, destination_id) NOT IN (
        SELECT tenant_id, alert_id, destination_id
        FROM alert_deliveries
        WHERE created_at >= now() - toIntervalDay(7))
) AS alert
LEFT JOIN (SELECT id, name FROM tenants FINAL) AS tenants ON tenants.id = alert.tenant_id
LEFT JOIN (SELECT tenant_id, id, name FROM alert_destinations FINAL) AS destinations
    ON destinations.tenant_id = alert.tenant_id AND destinations.id = alert.destination_id
LEFT JOIN (
    SELECT tenant_id, toString(alert_id) AS alert_id, destination_id, count() AS attempts, argMax(failure, at) AS failure
    FROM alert_attempts FINAL
    GROUP BY tenant_id, alert_id, destination_id
) AS attempts
    ON attempts.tenant_id = alert.tenant_id AND attempts.alert_id = alert.alert_id
    AND attempts.destination_id = alert.destination_id
WHERE {tenant:Nullable(UUID)} IS NULL OR alert.tenant_id = {tenant:Nullable(UUID)}
ORDER BY outcome = 'waiting' DESC, made_at DESC
LIMIT 100;
