-- Replaced by order_customer_idx and credit_note_order_idx, which begin with the same columns.
DROP INDEX "order_account_id_customer_id_created_at_id_idx";
DROP INDEX "credit_note_account_id_order_id_idx";
