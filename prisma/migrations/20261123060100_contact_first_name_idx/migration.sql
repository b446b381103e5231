-- no-transaction
CREATE INDEX CONCURRENTLY "contact_first_name_idx" ON "contact" ("account_id", lower("first_name"), "id");
