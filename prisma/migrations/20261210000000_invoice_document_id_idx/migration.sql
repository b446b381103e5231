-- no-transaction
-- The deletion of a document looks for its invoices and credit notes.
CREATE INDEX CONCURRENTLY "invoice_account_id_document_id_idx" ON "invoice"("account_id", "document_id");
