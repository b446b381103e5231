-- no-transaction
CREATE INDEX CONCURRENTLY "mail_recipient_account_id_contact_id_sent_at_id_idx" ON "mail_recipient"
  ("account_id", "contact_id", "sent_at" DESC, "id" DESC);
