-- A rebuild of rollups notes a step of its own, so that answers from before it are not given again.

ALTER TABLE import_steps COMMENT COLUMN token 'The batch''s, or that of a rebuild of rollups';
ALTER TABLE import_steps COMMENT COLUMN tenant_id 'The tenant the batch was imported for, or whose rollups were rebuilt';
