-- no-transaction
-- The index of the timeline begins with the same columns.
DROP INDEX CONCURRENTLY "mail_recipient_account_id_contact_id_idx";
