ALTER TABLE campaign ADD COLUMN archived_at timestamptz(3);
ALTER TABLE sequence ADD COLUMN archived_at timestamptz(3);
ALTER TABLE funnel ADD COLUMN archived_at timestamptz(3);
ALTER TABLE form ADD COLUMN archived_at timestamptz(3);

-- The time was not stored. A change after the archiving is rare.
UPDATE form SET archived_at = updated_at WHERE status = 'ARCHIVED';
