-- no-transaction
CREATE INDEX CONCURRENTLY "transaction_search_idx" ON "transaction" USING gin
  ("account_id", (lower(' ' || "id_transaction")) gin_trgm_ops);
