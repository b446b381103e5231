-- no-transaction
CREATE INDEX CONCURRENTLY "contact_last_name_idx" ON "contact" ("account_id", lower("last_name"), "id");
