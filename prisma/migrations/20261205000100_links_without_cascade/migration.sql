-- Deleting a tag or a custom field deleted all its links in one statement, which takes many seconds for millions of contacts.
-- A job deletes them in batches instead.
ALTER TABLE contact_tag DROP CONSTRAINT contact_tag_account_id_tag_id_fkey;
ALTER TABLE contact_field DROP CONSTRAINT contact_field_account_id_custom_field_id_fkey;
