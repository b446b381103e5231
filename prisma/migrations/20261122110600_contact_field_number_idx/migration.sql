-- no-transaction
CREATE INDEX CONCURRENTLY "contact_field_number_idx" ON "contact_field"
  ("account_id", "custom_field_id", "number", "contact_id") WHERE "number" IS NOT NULL;
