-- Replaced by webhook_delivery_pending_idx, which has the generation of the URL too.
DROP INDEX "webhook_delivery_due_idx";
