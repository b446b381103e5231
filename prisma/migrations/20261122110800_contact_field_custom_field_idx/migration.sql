-- no-transaction
DROP INDEX CONCURRENTLY "contact_field_account_id_custom_field_id_idx";
