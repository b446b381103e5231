-- no-transaction
-- The deletion of an e-mail looks for its campaigns and stages.
CREATE INDEX CONCURRENTLY "campaign_account_id_email_id_idx" ON "campaign"("account_id", "email_id");
