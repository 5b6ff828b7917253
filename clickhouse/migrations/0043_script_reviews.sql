-- Who is responsible for an authorized script, and by when it is reviewed again.

ALTER TABLE script_decisions
    ADD COLUMN IF NOT EXISTS owner String
        COMMENT 'Person or team that is responsible; empty without one' AFTER justification,
    ADD COLUMN IF NOT EXISTS review_by String
        COMMENT 'Last day of the authorization before its review, YYYY-MM-DD; empty without one' AFTER owner;

ALTER TABLE script_decisions_history
    ADD COLUMN IF NOT EXISTS owner String
        COMMENT 'Person or team that is responsible; empty without one' AFTER justification,
    ADD COLUMN IF NOT EXISTS review_by String
        COMMENT 'Last day of the authorization before its review, YYYY-MM-DD; empty without one' AFTER owner;
ALTER TABLE script_decisions_history_mv MODIFY QUERY
SELECT tenant_id, site_id, id, script_url, status, integrity_mode, pinned_hashes, justification, owner, review_by,
    decided_name, decided_email, decided_at, updated_at
FROM script_decisions;
