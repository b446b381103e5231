-- no-transaction
CREATE INDEX CONCURRENTLY "contact_account_id_updated_at_idx" ON "contact" ("account_id", "updated_at");
