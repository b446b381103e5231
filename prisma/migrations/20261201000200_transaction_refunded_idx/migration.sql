-- no-transaction
CREATE INDEX CONCURRENTLY "transaction_refunded_idx" ON "transaction" ("account_id", "order_id") INCLUDE ("currency", "amount")
  WHERE "status" = 'REFUNDED' AND "order_id" IS NOT NULL;
