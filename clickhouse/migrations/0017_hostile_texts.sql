-- A nonce ends where its source does, at white space or a semicolon: a forged policy cannot hide others in one, and be
-- counted as a policy that lacks them.

ALTER TABLE reports
    MODIFY COLUMN policy_key UInt64 DEFAULT if(policy = '', 0, halfMD5(if(position(policy, '''nonce-') > 0, replaceRegexpAll(policy, '''nonce-[^''\\s;]*''', '''nonce-*'''), policy)));

-- Integrity metadata protects only with a hash that browsers know (Subresource Integrity, 3.2 and 3.5).

ALTER TABLE page_scans
    MODIFY COLUMN script_integrity Array(Bool) DEFAULT arrayMap(script -> match(JSONExtractString(script, 'integrity'), '(?i)(^|\\s)sha(256|384|512)-[a-z0-9+/_-]'), JSONExtractArrayRaw(scripts));

ALTER TABLE page_scans MATERIALIZE COLUMN script_integrity SETTINGS mutations_sync = 1;
