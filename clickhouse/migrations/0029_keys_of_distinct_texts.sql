-- Of an insert's reports each distinct policy and issue is hashed once: the same keys, for a third of the processor time.

ALTER TABLE reports
    MODIFY COLUMN issue_key UInt64 DEFAULT halfMD5(toLowCardinality(concat(toString(site_id), '\n', report_type, '\n', issue_subject, '\n', issue_host))),
    MODIFY COLUMN policy_key UInt64 DEFAULT halfMD5(replaceRegexpAll(toLowCardinality(policy), '''nonce-[^''\\s;]*''', '''nonce-*''')) * (policy != '');
