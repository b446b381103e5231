-- no-transaction
-- The deletion of a document looks for its e-mails.
CREATE INDEX CONCURRENTLY "email_account_id_html_document_id_idx" ON "email"("account_id", "html_document_id");
