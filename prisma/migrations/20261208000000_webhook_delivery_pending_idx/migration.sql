-- no-transaction
-- Claims skip the deliveries to a former URL, however many a job has still to fail.
CREATE INDEX CONCURRENTLY "webhook_delivery_pending_idx" ON "webhook_delivery"("account_id", "webhook_id", "generation", "due_at", "id") WHERE "state" = 'PENDING';
