-- no-transaction
CREATE INDEX CONCURRENTLY "order_account_id_updated_at_id_idx" ON "order" ("account_id", "updated_at", "id");
