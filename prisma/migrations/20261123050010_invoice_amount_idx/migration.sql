-- no-transaction
CREATE INDEX CONCURRENTLY "invoice_account_id_amount_incl_vat_id_idx" ON "invoice" ("account_id", "amount_incl_vat", "id");
