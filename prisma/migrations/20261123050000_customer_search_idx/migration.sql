-- no-transaction
CREATE INDEX CONCURRENTLY "customer_search_idx" ON "customer" USING gin
  ("account_id", (lower(' ' || "email" || ' ' || "first_name" || ' ' || "last_name" || ' ' || "company_name" || ' ' || "vat_number")) gin_trgm_ops);
