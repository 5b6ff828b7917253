-- What holds a lease. Until now the holder's text began with it; releases before this one still write that.

ALTER TABLE import_leases ADD COLUMN IF NOT EXISTS kind LowCardinality(String)
    DEFAULT if(startsWith(holder, 'deletion by '), 'deletion', 'import')
    COMMENT 'import, deletion (of the tenant), site deletion, move, hold of the collectors, loop of the worker'
    AFTER id;
