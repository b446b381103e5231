-- no-transaction
CREATE INDEX CONCURRENTLY "submission_status_idx" ON "submission" ("account_id", (("status" = 'COMPLETED')::int), "id");
