-- no-transaction
CREATE INDEX CONCURRENTLY "invoice_search_idx" ON "invoice" USING gin
  ("account_id", (lower(' ' || "prefix" || lpad("number"::text, greatest(6, length("number"::text)), '0') || ' ' || "prefix" || "number"::text
   || ' ' || "number"::text || ' ' || coalesce("buyer"->>'email', '') || ' ' || coalesce("buyer"->>'name', '') || ' '
   || coalesce("buyer"->>'companyName', ''))) gin_trgm_ops);
