-- Servers put an id of each response into the query of a report-uri, of which every report quoted a policy of its own.
--
-- Query and fragment of the first two URLs of a report-uri are left out of the key, as nonces are. Rows that are stored
-- keep their key until they expire: policies are merged by their comparable form.

ALTER TABLE reports
    MODIFY COLUMN policy_key UInt64
        DEFAULT halfMD5(replaceRegexpAll(
            replaceRegexpAll(
                replaceRegexpAll(
                    toLowCardinality(policy),
                    '(?i)((?:^|;)\\s*report-uri\\s(?:[^;?#]*\\?\\*\\s)*[^;?#]*)[?#][^\\s;]*',
                    '\\1?*'
                ),
                '(?i)((?:^|;)\\s*report-uri\\s(?:[^;?#]*\\?\\*\\s)*[^;?#]*)[?#][^\\s;]*',
                '\\1?*'
            ),
            '\'nonce-[^\'\\s;]*\'',
            '\'nonce-*\''
        )) * (policy != '')
        COMMENT 'The policy it quotes, nonces and queries of report-uri apart; 0 when it quotes none';
