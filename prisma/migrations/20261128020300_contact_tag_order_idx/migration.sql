-- no-transaction
-- CreateIndex
CREATE INDEX CONCURRENTLY "contact_tag_account_id_tag_id_contact_created_at_contact_id_idx" ON "contact_tag"("account_id", "tag_id", "contact_created_at", "contact_id");
