-- no-transaction
CREATE INDEX CONCURRENTLY "transaction_account_id_updated_at_id_idx" ON "transaction" ("account_id", "updated_at", "id");
