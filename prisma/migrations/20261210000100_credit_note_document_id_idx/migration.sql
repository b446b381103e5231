-- no-transaction
-- The deletion of a document looks for its invoices and credit notes.
CREATE INDEX CONCURRENTLY "credit_note_account_id_document_id_idx" ON "credit_note"("account_id", "document_id");
