-- no-transaction
CREATE INDEX CONCURRENTLY "contact_field_search_idx" ON "contact_field" USING gin
  ("account_id", "custom_field_id", lower("value") gin_trgm_ops);
