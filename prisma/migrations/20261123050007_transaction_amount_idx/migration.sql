-- no-transaction
CREATE INDEX CONCURRENTLY "transaction_account_id_amount_id_idx" ON "transaction" ("account_id", "amount", "id");
