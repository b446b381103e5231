-- The enrolments of existing accounts are counted by a job.
INSERT INTO "figure_fill" ("account_id", "source", "complete_since")
SELECT "id", 'enrolment_parts', now() FROM "account";
