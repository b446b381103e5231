-- no-transaction
-- CreateIndex
CREATE INDEX CONCURRENTLY "contact_import_created_at_idx" ON "contact_import"("created_at");
