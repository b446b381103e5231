-- A statement that makes a pending list longer than this merges it into the index, which takes up to 350 ms at the default of 4 MB.
-- Workers merge the lists every two seconds, so that no request does.
ALTER INDEX "contact_search_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "contact_details_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "contact_words_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "contact_field_search_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "answer_values_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "answer_search_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "audit_entry_objects_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "customer_search_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "invoice_search_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "order_search_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "suppression_words_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "transaction_search_idx" SET (gin_pending_list_limit = 32768);
