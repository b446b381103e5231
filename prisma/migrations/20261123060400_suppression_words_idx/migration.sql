-- no-transaction
CREATE INDEX CONCURRENTLY "suppression_words_idx" ON "suppression" USING gin
  ("account_id", (lower(' ' || "email")) gin_trgm_ops);
