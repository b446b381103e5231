-- no-transaction
CREATE INDEX CONCURRENTLY "order_customer_idx" ON "order" ("account_id", "customer_id", "created_at" DESC, "id" DESC) INCLUDE ("status", "currency", "amount");
