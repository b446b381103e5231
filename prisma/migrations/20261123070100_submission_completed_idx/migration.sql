-- no-transaction
CREATE INDEX CONCURRENTLY "submission_completed_idx" ON "submission"
  ("account_id", coalesce("completed_at", 'epoch'::timestamptz), "id");
