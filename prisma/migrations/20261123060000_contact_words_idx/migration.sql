-- no-transaction
CREATE INDEX CONCURRENTLY "contact_words_idx" ON "contact" USING gin
  ("account_id", (lower(' ' || "email" || ' ' || "first_name" || ' ' || "last_name" || ' ' || "company_name" || ' ' || "phone"))
   gin_trgm_ops);
