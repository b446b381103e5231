-- no-transaction
CREATE INDEX CONCURRENTLY "contact_field_day_idx" ON "contact_field"
  ("account_id", "custom_field_id", "day", "contact_id") WHERE "day" IS NOT NULL;
