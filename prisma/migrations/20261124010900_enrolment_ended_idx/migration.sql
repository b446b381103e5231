-- no-transaction
CREATE INDEX CONCURRENTLY "enrolment_ended_idx" ON "enrolment" ("account_id", "contact_id", "ended_at" DESC, "id" DESC)
  WHERE "ended_at" IS NOT NULL;
