-- no-transaction
-- The deletion of an e-mail looks for its campaigns and stages.
CREATE INDEX CONCURRENTLY "sequence_stage_account_id_email_id_idx" ON "sequence_stage"("account_id", "email_id");
