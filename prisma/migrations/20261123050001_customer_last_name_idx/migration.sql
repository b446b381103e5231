-- no-transaction
CREATE INDEX CONCURRENTLY "customer_last_name_idx" ON "customer" ("account_id", lower("last_name"), "id");
