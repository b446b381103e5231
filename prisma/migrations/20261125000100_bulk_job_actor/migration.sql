-- Nullable: jobs of the previous version have no key, and processes of the previous version record changes without a job.
ALTER TABLE bulk_job ADD COLUMN key_id integer;
ALTER TABLE contact_change ADD COLUMN bulk_job_id integer;
