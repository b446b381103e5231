-- no-transaction
CREATE INDEX CONCURRENTLY "credit_note_order_idx" ON "credit_note" ("account_id", "order_id") INCLUDE ("currency", "amount_incl_vat");
