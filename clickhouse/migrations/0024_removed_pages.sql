-- Pages that are no longer monitored, and scans that a worker stores once.
--
-- Scans are evidence and outlive their page, so a page is hidden and not deleted. A worker that was killed can have
-- left its insert in flight: of inserts with one deduplication token, the id of the scan, the first is stored.

ALTER TABLE monitored_pages
    ADD COLUMN IF NOT EXISTS removed Bool
        COMMENT 'Whether it is hidden from lists and no longer scanned; its scans stay' AFTER position;

ALTER TABLE page_scans MODIFY SETTING non_replicated_deduplication_window = 10000;
