-- The indexes of timelines begin with the same columns.
DROP INDEX "enrolment_account_id_contact_id_idx";
DROP INDEX "visit_contact_idx";
