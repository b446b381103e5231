-- no-transaction
CREATE INDEX CONCURRENTLY "enrolment_account_id_contact_id_enrolled_at_id_idx" ON "enrolment"
  ("account_id", "contact_id", "enrolled_at" DESC, "id" DESC);
