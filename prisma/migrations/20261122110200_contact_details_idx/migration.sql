-- no-transaction
CREATE INDEX CONCURRENTLY "contact_details_idx" ON "contact" USING gin
  ("account_id", lower("phone") gin_trgm_ops, lower("company_name") gin_trgm_ops, lower("city") gin_trgm_ops,
   lower("country") gin_trgm_ops);
