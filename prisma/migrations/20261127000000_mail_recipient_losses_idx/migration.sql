-- no-transaction
CREATE INDEX CONCURRENTLY "mail_recipient_losses_idx" ON "mail_recipient" ("account_id", "campaign_id", "sequence_id", "stage_id")
  WHERE "unsubscribed_at" IS NOT NULL OR "state" = 'BOUNCED';
