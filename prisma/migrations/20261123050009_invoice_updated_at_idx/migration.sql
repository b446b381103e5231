-- no-transaction
CREATE INDEX CONCURRENTLY "invoice_account_id_updated_at_id_idx" ON "invoice" ("account_id", "updated_at", "id");
