-- no-transaction
CREATE INDEX CONCURRENTLY "order_search_idx" ON "order" USING gin
  ("account_id", (lower(' ' || "id_order")) gin_trgm_ops);
