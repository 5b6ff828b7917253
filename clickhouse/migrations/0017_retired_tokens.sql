-- Tokens of sites that were rotated away or whose site was deleted: their posts are 410, after which browsers stop.
-- Rows have no tenant, so that they outlive it.

CREATE TABLE IF NOT EXISTS retired_tokens
(
    token_hash  FixedString(64) COMMENT 'Lower-case hexadecimal SHA-256 of the token',
    retired_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When it was retired'
)
ENGINE = ReplacingMergeTree
ORDER BY token_hash
COMMENT 'Tokens that a site once had';
