-- no-transaction
CREATE INDEX CONCURRENTLY "contact_field_value_idx" ON "contact_field"
  ("account_id", "custom_field_id", (left(lower("value"), 100)) text_pattern_ops, "contact_id");
