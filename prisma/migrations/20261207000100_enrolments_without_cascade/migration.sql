-- Deleting a sequence deleted all its enrolments in one statement. A job deletes them in batches instead.
ALTER TABLE enrolment DROP CONSTRAINT enrolment_account_id_sequence_id_fkey;
