-- no-transaction
CREATE INDEX CONCURRENTLY "order_account_id_amount_id_idx" ON "order" ("account_id", "amount", "id");
