-- What cannot be stored is counted among a batch's reports too.

ALTER TABLE import_batches COMMENT COLUMN reports 'Reports in the batch, those that are skipped or rejected too; 0 while it is sent';
ALTER TABLE import_batches COMMENT COLUMN stored 'Those that this pass stored; 0 while it is sent';
